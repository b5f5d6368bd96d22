import Testing

@testable import Imaging

@Suite("Grey pictures")
struct GrayImageTests {
    /// Target columns that cover one, two, three or more source columns, and pictures that are enlarged.
    @Test(
        "are scaled exactly as each channel of a coloured one",
        arguments: [((2016, 15), 1656), ((1656, 20), 828), ((828, 12), 480), ((97, 31), 40), ((300, 7), 11), ((1024, 3), 1), ((5, 4), 4)])
    func scaled(size: (width: Int, height: Int), side: Int) throws {
        // The extremes beside each other make the largest differences.
        let pixels = (0..<size.width * size.height).map { _ in [0, 255, UInt8.random(in: 0...255)].randomElement() ?? 0 }
        let coloured = try RGBImage(width: size.width, height: size.height, pixels: pixels.flatMap { [$0, $0, $0] }).fitted(maxSide: side)
        let grey = try GrayImage(width: size.width, height: size.height, pixels: pixels)
            .scaled(to: (width: coloured.width, height: coloured.height))
        #expect(grey.pixels == stride(from: 0, to: coloured.pixels.count, by: 3).map { coloured.pixels[$0] })
    }

    @Test("keep the value of a flat area exactly when they are enlarged")
    func enlarged() throws {
        for value: UInt8 in [0, 1, 128, 255] {
            let image = try GrayImage(width: 7, height: 5, pixels: [UInt8](repeating: value, count: 35))
            #expect(image.scaled(to: (width: 19, height: 23)).pixels == [UInt8](repeating: value, count: 19 * 23))
        }
    }
}
