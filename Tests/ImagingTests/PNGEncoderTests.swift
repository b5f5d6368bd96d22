import CPNG
import Imaging
import Testing

@Suite("PNG encoder")
struct PNGEncoderTests {
    /// Decodes to RGB with libpng.
    private func decode(_ png: [UInt8]) -> (width: Int, height: Int, pixels: [UInt8])? {
        var image = png_image()
        image.version = UInt32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        return png.withUnsafeBytes { bytes in
            guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0 else { return nil }
            image.format = UInt32(PNG_FORMAT_FLAG_COLOR)
            var pixels = [UInt8](repeating: 0, count: Int(image.width * image.height) * 3)
            guard png_image_finish_read(&image, nil, &pixels, 0, nil) != 0 else { return nil }
            return (Int(image.width), Int(image.height), pixels)
        }
    }

    @Test("writes what libpng reads back", arguments: [(1, 1), (7, 3), (640, 480)])
    func roundTrip(width: Int, height: Int) throws {
        let image = try TestPictures.gradient(width: width, height: height)
        let decoded = try #require(decode(try PNGEncoder.encode(image)))
        #expect(decoded.width == width && decoded.height == height)
        #expect(decoded.pixels == image.pixels)
    }

    @Test("writes pictures that do not compress")
    func noise() throws {
        var state = UInt64(3)
        let pixels = (0..<300 * 200 * 3).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(state >> 56)
        }
        let image = try RGBImage(width: 300, height: 200, pixels: pixels)
        #expect(try #require(decode(try PNGEncoder.encode(image))).pixels == pixels)
    }

    @Test("writes palettes")
    func palette() throws {
        let indices: [UInt8] = [0, 1, 2, 2, 1, 0]
        let palette: [UInt8] = [10, 20, 30, 40, 50, 60, 255, 0, 128]
        let decoded = try #require(decode(try PNGEncoder.encode(width: 3, height: 2, indices: indices, palette: palette)))
        #expect(decoded.pixels == indices.flatMap { palette[Int($0) * 3..<Int($0) * 3 + 3] })
    }

    @Test("writes enlarged pictures small, and slanted stripes too", arguments: [false, true])
    func sizes(isStriped: Bool) throws {
        let (width, height) = (768, 576)
        let indices = (0..<width * height).map { place -> UInt8 in
            let (x, y) = (place % width, place / width)
            guard !isStriped else { return (x + y) * 181 / 256 % 8 < 3 ? 1 : 0 }
            let (column, row) = (x / 3, y / 3)
            let slope = column * column / 97 + row * 3 / 5
            return UInt8(slope / 9 % 64)
        }
        let palette = (0..<64 * 3).map { UInt8($0) }
        let file = try PNGEncoder.encode(width: width, height: height, indices: indices, palette: palette)
        #expect(file.count < 10_000)
        let decoded = try #require(decode(file))
        #expect(decoded.width == width && decoded.height == height)
        #expect(decoded.pixels == indices.flatMap { palette[Int($0) * 3..<Int($0) * 3 + 3] })
    }

    @Test("writes palettes of pictures that do not compress", arguments: [(1, 1), (300, 200), (1, 5000)])
    func noisyPalette(width: Int, height: Int) throws {
        var state = UInt64(7)
        let indices = (0..<width * height).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(state >> 56)
        }
        let palette = (UInt8.min...UInt8.max).flatMap { index -> [UInt8] in [index, 255 - index, 7] }
        let file = try PNGEncoder.encode(width: width, height: height, indices: indices, palette: palette)
        let expected = indices.flatMap { index -> [UInt8] in [index, 255 - index, 7] }
        #expect(try #require(decode(file)).pixels == expected)
    }

    @Test(
        "refuses indices beyond the palette and palettes of odd length",
        arguments: [([0, 3], 9), ([0, 1], 8), ([0, 1], 0), ([0], 9)] as [([UInt8], Int)])
    func invalid(indices: [UInt8], paletteBytes: Int) {
        #expect(throws: ImagingError.self) {
            _ = try PNGEncoder.encode(width: 2, height: 1, indices: indices, palette: [UInt8](repeating: 1, count: paletteBytes))
        }
    }
}
