import AreaAverage
import Testing

@Suite("Scaling by area average")
struct AreaAverageTests {
    @Test(
        "weighs each source pixel by the area that it covers",
        arguments: [
            ((1, 1), (1, 1)), ((1, 1), (3, 2)), ((7, 5), (7, 5)), ((7, 5), (3, 2)), ((3, 2), (7, 5)), ((64, 48), (16, 12)),
            ((101, 67), (33, 21)), ((19, 700), (4, 1)), ((2, 1000), (1, 3)), ((5, 600), (3, 300)), ((3, 1030), (2, 2)),
        ] as [((Int, Int), (Int, Int))])
    func weights(source: (Int, Int), target: (Int, Int)) {
        var state = UInt64(source.0 * 1000 + source.1)
        let pixels = (0..<source.0 * source.1).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Mostly the greatest, for the greatest sums.
            return state >> 62 > 0 ? 255 : UInt8(truncatingIfNeeded: state >> 40)
        }
        #expect(scaled(pixels, source, target) == reference(pixels, source, target))
    }

    @Test("leaves an even plane even, at the greatest height")
    func even() {
        let pixels = [UInt8](repeating: 255, count: 2 * 65_535)
        #expect(scaled(pixels, (2, 65_535), (1, 1)) == [255])
        #expect(scaled(pixels, (2, 65_535), (3, 2)) == [UInt8](repeating: 255, count: 6))
    }

    @Test("asks for rows in ascending order, each twice at most")
    func order() {
        let pixels: [UInt8] = [0, 10, 20, 30, 40]
        var asked: [Int] = []
        let output = pixels.withUnsafeBufferPointer { pixels in
            AreaAverage(from: (1, 5), to: (1, 2)).scale { y in
                asked.append(y)
                return UnsafeBufferPointer(rebasing: pixels[y...y])
            }
        }
        #expect(asked == [0, 1, 2, 2, 3, 4])
        #expect(output == [8, 32])
    }

    private func scaled(_ pixels: [UInt8], _ source: (Int, Int), _ target: (Int, Int)) -> [UInt8] {
        pixels.withUnsafeBufferPointer { pixels in
            AreaAverage(from: source, to: target).scale { UnsafeBufferPointer(rebasing: pixels[$0 * source.0..<($0 + 1) * source.0]) }
        }
    }

    /// Pixel by pixel, in units of 1 / target of a source pixel's sides.
    private func reference(_ pixels: [UInt8], _ source: (Int, Int), _ target: (Int, Int)) -> [UInt8] {
        func covered(_ place: Int, _ by: Int, _ source: Int, _ target: Int) -> Int {
            max(0, min((by + 1) * source, (place + 1) * target) - max(by * source, place * target))
        }
        let total = source.0 * source.1
        return (0..<target.0 * target.1).map { index in
            var sum = 0
            for y in 0..<source.1 {
                let height = covered(y, index / target.0, source.1, target.1)
                guard height > 0 else { continue }
                for x in 0..<source.0 { sum += Int(pixels[y * source.0 + x]) * height * covered(x, index % target.0, source.0, target.0) }
            }
            return UInt8((sum + total / 2) / total)
        }
    }
}
