import Imaging
import Testing

@Suite("Pictures")
struct RGBImageTests {
    /// Two wide, three high, numbered row by row.
    private func numbered() throws -> RGBImage {
        try RGBImage(width: 2, height: 3, pixels: (1...6).flatMap { [UInt8($0), UInt8($0), UInt8($0)] })
    }

    @Test(
        "are turned and mirrored as EXIF says",
        arguments: [
            (1, [1, 2, 3, 4, 5, 6], 2), (2, [2, 1, 4, 3, 6, 5], 2), (3, [6, 5, 4, 3, 2, 1], 2), (4, [5, 6, 3, 4, 1, 2], 2),
            (5, [1, 3, 5, 2, 4, 6], 3), (6, [5, 3, 1, 6, 4, 2], 3), (7, [6, 4, 2, 5, 3, 1], 3), (8, [2, 4, 6, 1, 3, 5], 3),
            (0, [1, 2, 3, 4, 5, 6], 2), (9, [1, 2, 3, 4, 5, 6], 2),
        ] as [(Int, [UInt8], Int)])
    func orientation(orientation: Int, expected: [UInt8], width: Int) throws {
        let turned = try numbered().oriented(orientation)
        #expect(turned.width == width && turned.height == 6 / width)
        #expect(stride(from: 0, to: 18, by: 3).map { turned.pixels[$0] } == expected)
    }

    @Test("are scaled by the area that each pixel covers, and never enlarged")
    func fitted() throws {
        let image = try RGBImage(width: 3, height: 1, pixels: [0, 0, 0, 90, 90, 90, 240, 240, 240])
        #expect(image.fitted(maxSide: 1).pixels == [110, 110, 110])
        #expect(image.fitted(maxSide: 2).pixels == [30, 30, 30, 190, 190, 190])
        #expect(image.fitted(maxSide: 4) == image)
        #expect(image.fitted(maxSide: 0) == image)
    }

    @Test("need as many pixels as their size says")
    func shape() {
        #expect(throws: ImagingError.self) { _ = try RGBImage(width: 2, height: 2, pixels: [0, 0, 0]) }
        #expect(throws: ImagingError.self) { _ = try RGBImage(width: 0, height: 0, pixels: []) }
        #expect(throws: ImagingError.self) { _ = try GrayImage(width: Int.max, height: 2, pixels: [0]) }
    }

    @Test("become upright thumbnails", arguments: [(1, 480, 360), (6, 360, 480), (8, 360, 480), (3, 480, 360)])
    func thumbnail(orientation: Int, width: Int, height: Int) throws {
        let jpeg = try TestPictures.jpeg(width: 960, height: 720)
        let small = try JPEGDecoder.decodeRGB(try PhotoVariants.make(jpeg, orientation: orientation).thumbnail, fitting: 1000)
        #expect(small.width == width && small.height == height)
        // Where the marked corner comes to lie.
        let (x, y) = [1: (5, 5), 6: (width - 6, 5), 3: (width - 6, height - 6), 8: (5, height - 6)][orientation] ?? (0, 0)
        #expect(small.pixels[(y * width + x) * 3] > 230)
    }

    @Test("are not encoded at a quality that does not exist", arguments: [0, 101, -1])
    func quality(quality: Int) throws {
        let image = try numbered()
        #expect(throws: ImagingError.self) { _ = try JPEGEncoder.encode(image, quality: quality) }
    }
}
