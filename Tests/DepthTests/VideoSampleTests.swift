import CaptureProtocol
import Models
import Testing

@testable import Depth

@Suite("Videos made of real captures", .enabled(if: Sample.arePresent, "needs ../shared/data/rgbd"))
struct VideoSampleTests {
    private static let width = 208
    private static let height = 156

    /// A window that moves over a capture by whole pixels, with fresh noise in both sensors.
    private func video(_ sample: Sample, depthOf other: Sample? = nil, count: Int = 16) throws -> [VideoKeyframe] {
        let luma = try sample.luma().scaled(toWidth: sample.width, height: sample.height)
        let depth = try (other ?? sample).depth()
        var random = Randomness(UInt64(sample.width))
        return try (0..<count).map { index in
            let (left, top) = (3 * index, 2 * index)
            var metres: [Float] = []
            var pixels: [UInt8] = []
            for y in top..<top + Self.height {
                for x in left..<left + Self.width {
                    metres.append(depth.metres[y * depth.width + x] * Float(1 + 0.002 * (random.unit() - 0.5)))
                    pixels.append(UInt8(min(255, Int(luma.pixels[y * luma.width + x]) + Int(3 * random.unit()))))
                }
            }
            return VideoKeyframe(
                sample: 3 * index, ticks: 60 * Int64(index), depth: try DepthMap(width: Self.width, height: Self.height, metres: metres),
                luma: try LumaImage(width: Self.width, height: Self.height, pixels: pixels))
        }
    }

    /// Depth and picture of this Kinect are not in register, which no video of a phone may be.
    private static let unregistered = "dev_real_kitchen"

    @Test("get the verdict of the capture", arguments: Sample.all.filter { $0.name != unregistered })
    func verdict(sample: Sample) throws {
        let result = try video(sample).analyze()
        #expect(result.verdict.rawValue == sample.label)
        #expect(result.reason == nil)
        guard sample.label == "real" else { return }
        #expect(try #require(result.depthConsistency) > 0.95 && result.sceneStability == 1)
        #expect(try #require(result.edgeAlignment) > 0.1)
    }

    @Test("are not real with depth that is not in register", arguments: Sample.all.filter { $0.name == unregistered })
    func register(sample: Sample) throws {
        let result = try video(sample).analyze()
        #expect(result.verdict == .undecided && result.reason?.known == .depthNotOfVideo)
        #expect(try #require(result.edgeAlignment) < 0.05)
    }

    @Test("are not real with the depth of another scene", arguments: Sample.all.filter { $0.label == "real" })
    func otherDepth(sample: Sample) throws {
        for other in Sample.all where other.name != sample.name && other.label == "real" {
            let result = try video(sample, depthOf: other).analyze()
            #expect(result.verdict == .undecided && result.reason?.known == .depthNotOfVideo)
        }
    }
}
