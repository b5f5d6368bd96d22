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

    @Test(
        "are within one level of the exact average, whatever the sizes",
        arguments: [((64, 48), 63), ((64, 48), 33), ((97, 31), 40), ((31, 97), 7), ((200, 1), 13), ((2, 500), 499)])
    func average(size: (width: Int, height: Int), side: Int) throws {
        var random = SystemRandomNumberGenerator()
        let pixels = (0..<size.width * size.height * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
        let source = try RGBImage(width: size.width, height: size.height, pixels: pixels)
        let scaled = source.fitted(maxSide: side)
        for y in 0..<scaled.height {
            for x in 0..<scaled.width {
                for channel in 0..<3 {
                    let exact = Self.exactAverage(of: source, x: x, y: y, channel: channel, in: scaled)
                    #expect(abs(Double(scaled.pixels[(y * scaled.width + x) * 3 + channel]) - exact) <= 1)
                }
            }
        }
    }

    /// The mean over the area of `source` that a pixel of `target` covers.
    private static func exactAverage(of source: RGBImage, x: Int, y: Int, channel: Int, in target: RGBImage) -> Double {
        func overlap(_ index: Int, _ place: Int, _ from: Int, _ to: Int) -> Double {
            let scale = Double(from) / Double(to)
            return max(0, min(Double(index + 1), Double(place + 1) * scale) - max(Double(index), Double(place) * scale)) / scale
        }
        var sum = 0.0
        for row in 0..<source.height {
            let rowShare = overlap(row, y, source.height, target.height)
            guard rowShare > 0 else { continue }
            for column in 0..<source.width {
                let share = rowShare * overlap(column, x, source.width, target.width)
                sum += Double(source.pixels[(row * source.width + column) * 3 + channel]) * share
            }
        }
        return sum
    }

    @Test("keep the value of a flat area exactly")
    func flat() throws {
        for value: UInt8 in [0, 1, 127, 254, 255] {
            let image = try RGBImage(width: 101, height: 37, pixels: [UInt8](repeating: value, count: 101 * 37 * 3))
            #expect(image.fitted(maxSide: 67).pixels.allSatisfy { $0 == value })
        }
    }

    @Test("need exactly width × height pixels")
    func shape() {
        #expect(throws: ImagingError.self) { _ = try RGBImage(width: 2, height: 2, pixels: [0, 0, 0]) }
        #expect(throws: ImagingError.self) { _ = try RGBImage(width: 0, height: 0, pixels: []) }
        #expect(throws: ImagingError.self) { _ = try GrayImage(width: Int.max, height: 2, pixels: [0]) }
    }

    @Test("become upright thumbnails", arguments: [(1, 480, 360), (6, 360, 480), (8, 360, 480), (3, 480, 360)])
    func thumbnail(orientation: Int, width: Int, height: Int) throws {
        let jpeg = try TestPictures.jpeg(width: 960, height: 720)
        let small = try JPEGDecoder.decodeRGB(try PhotoVariants(jpeg).copies(orientation: orientation).thumbnail.jpeg, fitting: 1000)
        #expect(small.width == width && small.height == height)
        // The position of the marked corner after rotation.
        let (x, y) = [1: (5, 5), 6: (width - 6, 5), 3: (width - 6, height - 6), 8: (5, height - 6)][orientation] ?? (0, 0)
        #expect(small.pixels[(y * width + x) * 3] > 230)
    }

    @Test("are not encoded at an invalid quality", arguments: [0, 101, -1])
    func quality(quality: Int) throws {
        let image = try numbered()
        #expect(throws: ImagingError.self) { _ = try JPEGEncoder.encode(image, quality: quality) }
    }
}
