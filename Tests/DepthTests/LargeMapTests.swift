import CaptureProtocol
import Models
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

    @Test("have the numbers of the reduced map, bit for bit")
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

    @Test("get the same verdicts as small ones", arguments: [(1024, 1024), (640, 480), (300, 200), (1024, 256)])
    func verdicts(width: Int, height: Int) throws {
        var random = Randomness(3)
        let flat = try Maps.make(width: width, height: height) { u, v in 0.6 / (1 + 0.1 * u + 0.2 * v) * Maps.noise(&random) }
        #expect(DepthAnalysis.analyze(depth: flat, luma: nil, exifOrientation: nil).verdict == .flat)
        let scene = try Maps.make(width: width, height: height) { u, v in
            (abs(u - 0.05) < 0.3 && abs(v) < 0.45 ? 0.42 : 0.6 / (1 + 0.2 * v)) * Maps.noise(&random)
        }
        #expect(DepthAnalysis.analyze(depth: scene, luma: nil, exifOrientation: nil).verdict == .real)
    }
}
