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

    @Test("have the same bits for a hundred recordings, one after the other and all at once")
    func many() async throws {
        let recordings = try (0..<100).map { number in
            var scene = number.isMultiple(of: 4) ? VideoScene.poster(UInt64(number), slope: 0.1) : .room(UInt64(number))
            (scene.width, scene.height) = (64, 48)
            return try scene.video(9, noise: UInt64(number)) {
                VideoScene.Camera(x: 0.01 * Double(number % 5 * $0), z: 0.01 * Double($0), pan: 0.003 * Double(number % 7 * $0))
            }
        }
        let first = try recordings.map { digest(try $0.analyze(rotation: 1)) }
        #expect(Set(first).count == recordings.count, "each has numbers of its own")
        let again = try await withThrowingTaskGroup(of: (Int, UInt64).self) { group in
            for (number, recording) in recordings.enumerated() {
                group.addTask { (number, digest(try recording.analyze(rotation: 1))) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(recordings.indices.allSatisfy { again[$0] == first[$0] })
    }

    /// Recorded on x86-64 Linux.
    @Test("have the recorded bits on every machine")
    func recorded() throws {
        let digest = digest(try measurements())
        #expect(digest == 8_988_537_435_472_205_177)
    }
}
