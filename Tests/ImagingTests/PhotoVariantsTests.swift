import CTurboJPEG
import JPEGMetadata
import Synchronization
import Testing

@testable import Imaging

@Suite("Photo variants")
struct PhotoVariantsTests {
    private static let profile: [UInt8] = Array("ICC_PROFILE\0".utf8) + [1, 1] + Array("a profile".utf8)

    private func size(_ jpeg: [UInt8]) throws -> [Int] {
        let size = try JPEGDecoder.size(of: jpeg)
        return [size.width, size.height]
    }

    /// Inserts a segment directly after SOI.
    private func inserting(_ marker: UInt8, _ payload: [UInt8], into jpeg: [UInt8]) -> [UInt8] {
        let length = payload.count + 2
        return Array(jpeg[..<2]) + [0xff, marker, UInt8(length >> 8), UInt8(length & 255)] + payload + jpeg[2...]
    }

    @Test("are 828 and 1656 px long, upright", arguments: [(1, [828, 621], [1656, 1242]), (6, [621, 828], [1242, 1656])])
    func sizes(orientation: Int, small: [Int], large: [Int]) throws {
        let variants = try PhotoVariants(try TestPictures.jpeg(width: 2000, height: 1500)).copies(orientation: orientation)
        #expect(try size(variants.small.jpeg) == small && [variants.small.width, variants.small.height] == small)
        #expect(try size(try #require(variants.large).jpeg) == large)
        #expect(variants.small.jpeg.count <= 160_000)
    }

    @Test("come one by one, the thumbnail after the small one")
    func order() throws {
        let sizes = Mutex<[PhotoVariants.Size]>([])
        let variants = try PhotoVariants(try TestPictures.jpeg(width: 2000, height: 1500))
        try variants.makeCopies(orientation: 1) { size, _ in sizes.withLock { $0.append(size) } }
        let made = sizes.withLock { $0 }
        #expect(made.count == 3)
        #expect(made.filter { $0 != .large } == [.small, .thumbnail])
    }

    @Test("have the bright corner where a viewer shows it")
    func orientation() throws {
        let variants = try PhotoVariants(try TestPictures.jpeg(width: 1200, height: 900)).copies(orientation: 6)
        let image = try JPEGDecoder.decodeRGB(variants.small.jpeg, fitting: 828)
        let (left, right) = (image.pixels[(20 * image.width + 20) * 3], image.pixels[(20 * image.width + image.width - 20) * 3])
        #expect(right > 230 && left < 120)
    }

    @Test(
        "are never larger than the photo, and one where one has it all", arguments: [([640, 480], 0), ([828, 10], 0), ([900, 600], 900)])
    func small(shape: [Int], largeWidth: Int) throws {
        let variants = try PhotoVariants(try TestPictures.jpeg(width: shape[0], height: shape[1])).copies(orientation: 1)
        #expect(try size(variants.small.jpeg)[0] == min(shape[0], 828))
        #expect(try variants.large.map { try size($0.jpeg)[0] } ?? 0 == largeWidth)
    }

    @Test("stay within their bounds for noise")
    func noise() throws {
        var random = SystemRandomNumberGenerator()
        let pixels = (0..<1000 * 800 * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
        let noise = try JPEGEncoder.encode(try RGBImage(width: 1000, height: 800, pixels: pixels), quality: 95)
        let variants = try PhotoVariants(noise).copies(orientation: 1)
        #expect(variants.small.jpeg.count <= PhotoVariants.maximumSmallBytes)
        #expect(try #require(variants.large).jpeg.count <= PhotoVariants.maximumLargeBytes)
    }

    @Test("keep the colour profile and nothing else that is not picture")
    func metadata() throws {
        var jpeg = try TestPictures.jpeg(width: 900, height: 600)
        jpeg = inserting(0xfe, Array("a comment".utf8), into: jpeg)
        jpeg = inserting(0xe1, Array("Exif\0\0secret".utf8), into: jpeg)
        jpeg = inserting(0xe2, Self.profile, into: jpeg)
        let variants = try PhotoVariants(jpeg).copies(orientation: 1)
        for variant in [variants.small.jpeg, try #require(variants.large).jpeg] {
            var walker = JPEGMarkerWalker(variant)
            var markers: [UInt8] = []
            while let segment = walker.next() {
                markers.append(segment.marker)
                if segment.marker == 0xe2 { #expect(Array(variant[segment.payload]) == Self.profile) }
            }
            #expect(markers.filter { $0 >= 0xe0 } == [0xe0, 0xe2])
            #expect(throws: Never.self) { try JPEGDecoder.decodeRGB(variant, fitting: 100) }
        }
    }

    @Test("leave out a profile that is large, or in parts")
    func oddProfiles() throws {
        let jpeg = try TestPictures.jpeg(width: 100, height: 80)
        let plain = try PhotoVariants(jpeg).copies(orientation: 1).small.jpeg
        let large = Self.profile + [UInt8](repeating: 0, count: 5000)
        var part = Self.profile
        part[13] = 2
        for payload in [large, part, Array(Self.profile.prefix(14))] {
            #expect(try PhotoVariants(inserting(0xe2, payload, into: jpeg)).copies(orientation: 1).small.jpeg == plain)
        }
    }

    @Test(
        "are within a few levels of the picture made in full colours, whatever the photo's subsampling",
        arguments: [TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_440, TJSAMP_411, TJSAMP_GRAY], [(1200, 902), (1201, 901), (600, 411)])
    func planes(subsampling: TJSAMP, size: (width: Int, height: Int)) throws {
        let source = try TestPictures.gradient(width: size.width, height: size.height)
        let jpeg = try TestPictures.jpeg(source, subsampling)
        let expected = try JPEGDecoder.decodeRGB(jpeg, fitting: PhotoVariants.smallSide)
        let shown = try JPEGDecoder.decodeRGB(PhotoVariants(jpeg).copies(orientation: 1).small.jpeg, fitting: PhotoVariants.smallSide)
        #expect(shown.width == expected.width && shown.height == expected.height)
        let differences = zip(shown.pixels, expected.pixels).map { abs(Int($0) - Int($1)) }
        #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 2)
        // Far from the edge of the marked square the difference is small.
        let middle = (expected.height / 2 * expected.width + expected.width / 2) * 3
        #expect(differences[middle..<middle + 300].allSatisfy { $0 < 8 })
    }

    @Test(
        "give the brightness as stored, in the smallest size that covers the depth map",
        arguments: [(256, 192, 480), (192, 256, 480), (480, 361, 828), (1024, 768, 1656), (4000, 3000, 1656)])
    func luma(width: Int, height: Int, longSide: Int) throws {
        let luma = try PhotoVariants(try TestPictures.jpeg(width: 2000, height: 1500)).luma(covering: (width, height))
        #expect(luma.width == longSide && luma.height == longSide * 3 / 4)
        #expect(luma.pixels[0] > 240 && luma.pixels[luma.pixels.count - 1] < 120)
    }

    @Test("are not made from files that are not photos", arguments: [[], [0xff, 0xd8], Array("GIF89a".utf8)])
    func refuses(bytes: [UInt8]) {
        #expect(throws: ImagingError.self) { try PhotoVariants(bytes).copies(orientation: 1) }
    }
}
