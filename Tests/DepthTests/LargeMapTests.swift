import Imaging
import Testing

@testable import Depth

@Suite("Large depth maps")
struct LargeMapTests {
    @Test(
        "are measured at the largest size of their shape with no more pixels than 256 × 192",
        arguments: [
            (256, 192, 256, 192), (192, 256, 192, 256), (1024, 48, 1024, 48), (1, 1, 1, 1), (640, 480, 256, 192), (480, 640, 192, 256),
            (1024, 1024, 221, 221), (1024, 768, 256, 192), (257, 192, 256, 191), (1024, 49, 1023, 48), (320, 240, 256, 192),
        ])
    func size(width: Int, height: Int, measuredWidth: Int, measuredHeight: Int) {
        #expect(DepthMap.measuredSize(width: width, height: height) == (measuredWidth, measuredHeight))
    }

    @Test("keep their pixels as they are, those in the middle of each cell")
    func pixels() throws {
        let large = try DepthMap(width: 768, height: 576, metres: (0..<768 * 576).map { Float($0) })
        let small = large.reduced()
        #expect(small.width == 256 && small.height == 192)
        for (x, y) in [(0, 0), (255, 0), (0, 191), (100, 77)] {
            #expect(small.metres[y * 256 + x] == Float((3 * y + 1) * 768 + 3 * x + 1))
        }
        let map = try Maps.mugOnDesk()
        #expect(map.reduced() == map)
    }

    @Test("have the numbers of what they are reduced to, bit by bit")
    func sameNumbers() throws {
        let small = try Maps.mugOnDesk()
        let large = try DepthMap(
            width: 1024, height: 768, metres: (0..<1024 * 768).map { small.metres[$0 / 1024 / 4 * 256 + $0 % 1024 / 4] })
        #expect(large.reduced() == small)
        let (first, second) = (
            DepthAnalysis.analyze(depth: small, luma: nil, exifOrientation: nil),
            DepthAnalysis.analyze(depth: large, luma: nil, exifOrientation: nil)
        )
        #expect(first == second)
        #expect(first.relief?.bitPattern == second.relief?.bitPattern)
    }

    @Test("are judged as small ones are", arguments: [(1024, 1024), (640, 480), (300, 200), (1024, 256)])
    func verdicts(width: Int, height: Int) throws {
        var random = Randomness(3)
        let flat = try Maps.make(width: width, height: height) { u, v in 0.6 / (1 + 0.1 * u + 0.2 * v) * Maps.noise(&random) }
        #expect(DepthAnalysis.analyze(depth: flat, luma: nil, exifOrientation: nil).verdict == .flat)
        let scene = try Maps.make(width: width, height: height) { u, v in
            (abs(u - 0.05) < 0.3 && abs(v) < 0.45 ? 0.42 : 0.6 / (1 + 0.2 * v)) * Maps.noise(&random)
        }
        #expect(DepthAnalysis.analyze(depth: scene, luma: nil, exifOrientation: nil).verdict == .real)
    }

    /// Everything that is done with a capture's depth, photo's edges and preview included, in processor time.
    @Test("cost at most three times what one of 256 × 192 costs")
    func cost() throws {
        func seconds(width: Int, height: Int) throws -> Double {
            var random = Randomness(14)
            let map = try Maps.make(width: width, height: height) { u, v in
                (abs(u - 0.05) < 0.3 && abs(v) < 0.45 ? 0.42 : 0.6 / (1 + 0.2 * v)) * Maps.noise(&random)
            }
            let compressed = Wrapping.gzip.compress(bytes(of: map.metres), level: 1)
            let photo = try LumaImage(width: 768, height: 576, pixels: (0..<768 * 576).map { _ in random.byte() })
            var best = Double.infinity
            for _ in 0..<3 {
                let start = threadSeconds()
                let decoded = try DepthMapDecoder.decode(compressed, width: width, height: height)
                let result = DepthAnalysis.analyze(depth: decoded, luma: photo, exifOrientation: 1)
                let file = try DepthPreview.file(depth: decoded, rotation: result.rotation, aspect: (4032, 3024)) { picture in
                    try PNGEncoder.encode(
                        width: picture.width, height: picture.height, indices: picture.indices, palette: picture.palette)
                }
                best = min(best, threadSeconds() - start)
                #expect(!file.bytes.isEmpty)
            }
            return best
        }
        let small = try seconds(width: 256, height: 192)
        let large = try seconds(width: 1024, height: 1024)
        #expect(large <= 3 * small, "\(large) s against \(small) s")
    }
}
