import CaptureProtocol
import Depth
import Models
import Testing

@Suite("Reproducible measurements of videos")
struct VideoDigestTests {
    private func measurements() throws -> VideoDepthMeasurements {
        try VideoScene.room(11).video(14) { VideoScene.Camera(x: 0.03 * Double($0), z: 0.01 * Double($0), pan: 0.004 * Double($0)) }
            .analyze()
    }

    /// FNV-1a over the bits of all numbers.
    private func digest(_ result: VideoDepthMeasurements) -> UInt64 {
        var numbers: [Double?] = [
            result.depthConsistency, result.motionCoherence, result.sceneStability, result.edgeAlignment, result.realShare,
            result.flatShare,
            result.relief, result.minDepth, result.maxDepth, result.coverage,
        ]
        for frame in result.frameAnalyses {
            numbers += [frame.relief, frame.agreement, Double(frame.frame), Double(frame.timeMilliseconds)]
        }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for number in numbers {
            let bits = number?.bitPattern ?? .max
            for shift in stride(from: UInt64(0), to: 64, by: 8) { hash = (hash ^ (bits >> shift & 0xFF)) &* 0x100_0000_01B3 }
        }
        return hash
    }

    @Test("have the same bits twice")
    func twice() throws {
        let (first, second) = (try measurements(), try measurements())
        #expect(first == second)
        #expect(digest(first) == digest(second))
    }

    /// Recorded on x86-64 Linux.
    @Test("have the recorded bits on every machine")
    func recorded() throws {
        let digest = digest(try measurements())
        #expect(digest == 8_988_537_435_472_205_177)
    }
}
