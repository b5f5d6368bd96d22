import CTurboJPEG
import Foundation
import Testing

@testable import Imaging

@Suite("JPEG decoder")
struct JPEGDecoderTests {
    private func code<Value>(_ body: () throws -> Value) -> ImagingError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? ImagingError)?.code
        }
    }

    @Test(
        "keeps colours and proportions when it fits a picture",
        arguments: [(640, 480, 100, 100, 75), (30, 300, 100, 10, 100), (64, 48, 100, 64, 48)])
    func fitting(width: Int, height: Int, maxSide: Int, expectedWidth: Int, expectedHeight: Int) throws {
        let rgb = try JPEGDecoder.decodeRGB(TestPictures.jpeg(width: width, height: height), fitting: maxSide)
        #expect(rgb.width == expectedWidth && rgb.height == expectedHeight)
        #expect(rgb.pixels[0...2].allSatisfy { $0 > 235 })
        #expect(rgb.pixels.suffix(3).elementsEqual([95, 95, 60]) { abs(Int($0) - $1) < 15 })
    }

    /// Decodes to 32 bits a pixel, with rows that have 12 more bytes.
    private func decodeBGRX(_ jpeg: [UInt8], covering side: Int) throws -> RGBImage {
        let (width, height) = try JPEGDecoder.size(of: jpeg, covering: side)
        let stride = width * 4 + 12
        var bytes = [UInt8](repeating: 7, count: stride * height)
        try bytes.withUnsafeMutableBytes { try JPEGDecoder.decode(jpeg, covering: side, bgrx: $0, stride: stride) }
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width { pixels += [2, 1, 0].map { bytes[y * stride + x * 4 + $0] } }
            #expect(bytes[y * stride + width * 4..<(y + 1) * stride].allSatisfy { $0 == 7 })
        }
        return try RGBImage(width: width, height: height, pixels: pixels)
    }

    @Test(
        "decodes into other memory what it decodes itself, in the size that covers a side",
        arguments: [(640, 480, 100, 160, 120), (30, 300, 500, 30, 300), (64, 48, 64, 64, 48), (333, 17, 200, 209, 11)])
    func otherMemory(width: Int, height: Int, side: Int, expectedWidth: Int, expectedHeight: Int) throws {
        let jpeg = try TestPictures.jpeg(width: width, height: height)
        let image = try decodeBGRX(jpeg, covering: side)
        #expect(image.width == expectedWidth && image.height == expectedHeight)
        #expect(image == (try JPEGDecoder.decodeRGB(jpeg, fitting: max(expectedWidth, expectedHeight))))
    }

    @Test("refuses memory that does not fit", arguments: [(12_287, 256), (12_288, 255), (0, 256), (12_288, 0), (12_288, Int.max)])
    func smallMemory(count: Int, stride: Int) throws {
        let jpeg = try TestPictures.jpeg(width: 64, height: 48)
        var bytes = [UInt8](repeating: 0, count: count)
        let refusal = bytes.withUnsafeMutableBytes { memory in
            code { try JPEGDecoder.decode(jpeg, covering: 64, bgrx: memory, stride: stride) }
        }
        #expect(refusal == .invalidArgument)
    }

    @Test("tells the size as stored")
    func size() throws {
        let size = try JPEGDecoder.size(of: Data(TestPictures.jpeg(width: 123, height: 45)))
        #expect(size.width == 123 && size.height == 45)
    }

    @Test(
        "refuses sizes beyond the limits from the header",
        arguments: [(65_500, 65_500), (12_001, 10), (10, 12_001), (12_000, 5001)])
    func bombs(width: Int, height: Int) throws {
        let bomb = TestPictures.announcing(width: width, height: height, try TestPictures.jpeg(width: 64, height: 64))
        #expect(code { try JPEGDecoder.decodePlanar(bomb, covering: 256) } == .tooLarge)
        #expect(code { try JPEGDecoder.decodeRGB(bomb, fitting: 640) } == .tooLarge)
        #expect(code { try JPEGDecoder.size(of: bomb) } == .tooLarge)
        #expect(code { try PhotoVariants(bomb).copies(orientation: 1) } == .tooLarge)
    }

    @Test("refuses a picture with a width or height of 0", arguments: [(0, 64), (64, 0)])
    func empty(width: Int, height: Int) throws {
        let jpeg = TestPictures.announcing(width: width, height: height, try TestPictures.jpeg(width: 64, height: 64))
        #expect(code { try JPEGDecoder.decodePlanar(jpeg, covering: 8) } == .corrupt)
    }

    @Test("has a lower limit for progressive pictures, which are kept whole in memory")
    func progressiveLimit() throws {
        var jpeg = TestPictures.announcing(width: 6000, height: 4000, try TestPictures.jpeg(width: 64, height: 64))
        #expect(code { try JPEGDecoder.size(of: jpeg) } == nil)
        jpeg[try #require(TestPictures.frame(in: jpeg)) - 3] = 0xC2
        #expect(code { try JPEGDecoder.size(of: jpeg) } == .tooLarge)
    }

    @Test("refuses a progressive picture of very many scans")
    func scanBomb() throws {
        var jpeg = try TestPictures.jpeg(width: 64, height: 64)
        jpeg[try #require(TestPictures.frame(in: jpeg)) - 3] = 0xC2
        // Empty refinement scans of the luminance.
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0, 0]
        var bomb = Array(jpeg.dropLast(2))
        for _ in 0..<1000 { bomb += scan }
        bomb += [0xFF, 0xD9]
        #expect(code { try JPEGDecoder.decodePlanar(bomb, covering: 8) } == .tooManyScans)
    }

    @Test("refuses kinds that no camera writes", arguments: [UInt8(0xC3), 0xC9, 0xCA])
    func unsupportedFrames(marker: UInt8) throws {
        var jpeg = try TestPictures.jpeg(width: 16, height: 16)
        jpeg[try #require(TestPictures.frame(in: jpeg)) - 3] = marker
        #expect(code { try JPEGDecoder.decodePlanar(jpeg, covering: 8) } == .unsupported)
    }

    @Test("refuses four components and twelve bits", arguments: [(5, UInt8(4)), (0, 12)])
    func unsupportedFields(offset: Int, value: UInt8) throws {
        var jpeg = try TestPictures.jpeg(width: 16, height: 16)
        jpeg[try #require(TestPictures.frame(in: jpeg)) + offset] = value
        #expect(code { try JPEGDecoder.decodePlanar(jpeg, covering: 8) } == .unsupported)
    }

    @Test("decodes a truncated picture as far as it goes, or refuses it")
    func truncated() throws {
        let jpeg = try TestPictures.jpeg(width: 96, height: 64)
        var refused = 0
        for length in 0..<jpeg.count {
            let prefix = Array(jpeg[..<length])
            if let (image, photo) = try? JPEGDecoder.decodePlanar(prefix, covering: 48) {
                #expect(image.width == 48 && image.height == 32)
                #expect(photo == (96, 64))
            } else {
                refused += 1
            }
        }
        // At least everything before the first scan.
        #expect(refused > 300)
    }

    @Test("takes no warning for an error, whatever the picture shows in its last corner", arguments: [TJSAMP_420, TJSAMP_444, TJSAMP_GRAY])
    func warnings(subsampling: TJSAMP) throws {
        for level in UInt8.min...255 {
            let picture = try RGBImage(width: 17, height: 9, pixels: [UInt8](repeating: level, count: 17 * 9 * 3))
            let jpeg = try TestPictures.jpeg(picture, subsampling)
            let warned = TestPictures.warning(jpeg)
            let (planes, _) = try JPEGDecoder.decodePlanar(warned, covering: 17)
            #expect(planes == (try JPEGDecoder.decodePlanar(jpeg, covering: 17)).image)
            let rgb = try JPEGDecoder.decodeRGB(jpeg, fitting: 17)
            #expect(try JPEGDecoder.decodeRGB(warned, fitting: 17) == rgb)
            #expect(try decodeBGRX(warned, covering: 17) == rgb)
            #expect(abs(Int(planes.luma.pixels[17 * 9 - 1]) - Int(level)) < 2)
        }
    }

    @Test("takes no error behind a warning for a warning", arguments: [TJSAMP_420, TJSAMP_444, TJSAMP_GRAY], [false, true])
    func errors(subsampling: TJSAMP, isWarning: Bool) throws {
        let source = try TestPictures.gradient(width: 96, height: 64)
        let progressive = try TestPictures.jpeg(source, subsampling, flags: TJFLAG_PROGRESSIVE)
        let broken = TestPictures.broken(isWarning ? TestPictures.warning(progressive) : progressive)
        try #require(broken != progressive && code { try JPEGDecoder.decodePlanar(progressive, covering: 96) } == nil)
        for side in [96, 48] {
            #expect(code { try JPEGDecoder.decodePlanar(broken, covering: side) } == .corrupt)
            #expect(code { try JPEGDecoder.decodeRGB(broken, fitting: side) } == .corrupt)
            #expect(code { try decodeBGRX(broken, covering: side) } == .corrupt)
        }
    }

    @Test("survives damaged bytes")
    func damaged() throws {
        let jpeg = try TestPictures.jpeg(width: 96, height: 64)
        var state = UInt64(7)
        for _ in 0..<3000 {
            var damaged = jpeg
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                damaged[Int(state >> 33) % damaged.count] = UInt8(truncatingIfNeeded: state >> 25)
            }
            // The damaged header may have another size; beyond the limits it is rejected.
            if let rgb = try? JPEGDecoder.decodeRGB(damaged, fitting: 32) { #expect(max(rgb.width, rgb.height) <= 32) }
        }
    }

    @Test(
        "tells memory that ran out from a damaged picture",
        arguments: [
            ("Insufficient memory (case 4)", true), ("tjDecompressToYUVPlanes(): Memory allocation failure", true),
            ("Premature end of JPEG file", false), ("Invalid component ID 9 in SOS", false),
        ])
    func memory(message: String, isOutOfMemory: Bool) {
        #expect(ImagingError.isOutOfMemory(message) == isOutOfMemory)
    }

    @Test("refuses anything but a JPEG", arguments: ["", "\u{FF}", "GIF89a", "PNG and more text than a header needs"])
    func garbage(text: String) {
        #expect(code { try JPEGDecoder.decodePlanar(Array(text.utf8), covering: 8) } == .corrupt)
        #expect(code { try JPEGDecoder.decodePlanar([0xFF, 0xD8, 0xFF, 0xD9], covering: 8) } == .corrupt)
    }
}
