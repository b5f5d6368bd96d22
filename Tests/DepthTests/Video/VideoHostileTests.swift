import CaptureProtocol
import Foundation
import Models
import Testing

@testable import Depth

@Suite("Hostile videos")
struct VideoHostileTests {
    private func analyze(
        _ count: Int, frame: (width: Int, height: Int)? = nil, _ map: (Int) throws -> DepthMap, _ pixel: (Int, Int) -> UInt8
    ) throws
        -> VideoDepthMeasurements
    {
        let first = try map(0)
        let layout = try VideoDepthLayout(frame: frame ?? (first.width, first.height), depth: (first.width, first.height), rotation: 0)
        var analysis = VideoDepthAnalysis(layout: layout, timescale: 10)
        for index in 0..<count {
            let luma = try LumaImage(
                width: layout.lumaWidth, height: layout.lumaHeight,
                pixels: (0..<layout.lumaWidth * layout.lumaHeight).map { pixel(index, $0) })
            try analysis.add(VideoKeyframe(sample: index, ticks: Int64(index), depth: try map(index), luma: luma))
        }
        return analysis.finish(endTicks: Int64(count))
    }

    private func expectSound(_ result: VideoDepthMeasurements) throws {
        for share in [result.depthConsistency, result.motionCoherence, result.sceneStability, result.relief] {
            if let share { #expect((0...1).contains(share)) }
        }
        if let alignment = result.edgeAlignment { #expect((-1...1).contains(alignment)) }
        #expect((0...1).contains(result.coverage) && (0...1).contains(result.realShare) && (0...1).contains(result.flatShare))
        // JSON knows no NaN: encoding would throw.
        #expect(try WireJSON.decode(VideoDepthMeasurements.self, from: try WireJSON.encode(result)) == result)
    }

    @Test(
        "of one useless value are undecided",
        arguments: [Float.nan, .infinity, -.infinity, 0, -0.0, -1, 0.05, 20.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude])
    func useless(value: Float) throws {
        let result = try analyze(8) { _ in
            try Maps.make { _, _ in Double(value) }
        } _: {
            UInt8(truncatingIfNeeded: $0 &* 31 &+ $1 &* 7)
        }
        #expect(result.verdict == .undecided && result.reason?.known == .tooFewValid)
        #expect(result.coverage == 0 && result.minDepth == nil && result.maxDepth == nil && result.relief == nil)
        #expect(result.depthConsistency == nil && result.edgeAlignment == nil && result.motionCoherence == nil)
        try expectSound(result)
    }

    @Test("of a constant depth are flat, whatever the picture", arguments: [0, 1, 97])
    func constant(step: Int) throws {
        let result = try analyze(8) { _ in
            try Maps.make { _, _ in 1 }
        } _: {
            UInt8(truncatingIfNeeded: ($0 + $1) &* step)
        }
        #expect(result.verdict == .flat)
        try expectSound(result)
    }

    @Test(
        "of any size are measured, and never real",
        arguments: [(1, 1), (1, 1024), (1024, 1), (2, 2), (5, 5), (7, 3), (9, 9), (16, 16), (1024, 3), (31, 1024), (64, 1000)])
    func sizes(width: Int, height: Int) throws {
        var random = Randomness(UInt64(width * 2000 + height))
        for frame in [nil, (1920, 1440), (1080, 1920)] as [(Int, Int)?] {
            let result = try analyze(6, frame: frame) { _ in
                try Maps.make(width: width, height: height) { _, _ in random.unit() < 0.1 ? .nan : 0.2 + 3 * random.unit() }
            } _: { _, _ in
                random.byte()
            }
            #expect(result.verdict != .real)
            try expectSound(result)
        }
    }

    @Test("of noise are never real, with noise or with stripes as pictures", arguments: [0, 1])
    func noise(kind: Int) throws {
        var random = Randomness(77)
        let result = try analyze(8) { _ in
            try Maps.make { _, _ in 0.1 + 8 * random.unit() }
        } _: { frame, place in
            kind == 0 ? random.byte() : (place + frame * 3) % 16 < 8 ? 0 : 255
        }
        #expect(result.verdict != .real)
        try expectSound(result)
    }

    @Test("of extreme contrast do not overflow")
    func contrast() throws {
        // A checkerboard of black and white that turns into its opposite, and depth that jumps between the ends of the valid range.
        let result = try analyze(8) { frame in
            try Maps.make { u, v in
                let square = Int((u + 1) * 8) + Int((v + 1) * 8) + frame
                return square % 2 == 0 ? 0.11 : 19.9
            }
        } _: { frame, place in
            let square = place / 1024 + place % 256 / 4 + frame
            return square % 2 == 0 ? 0 : 255
        }
        #expect(result.verdict != .real)
        try expectSound(result)
    }

    @Test("of the largest maps have the numbers of the reduced ones")
    func large() throws {
        let small = try (0..<6).map { try VideoScene.room(1).keyframe($0, camera: .init(x: 0.02 * Double($0)), noise: 1) }
        let large = try small.map { keyframe in
            var metres: [Float] = []
            for y in 0..<768 { for x in 0..<1024 { metres.append(keyframe.depth.metres[y / 4 * 256 + x / 4]) } }
            return VideoKeyframe(
                sample: keyframe.sample, ticks: keyframe.ticks, depth: try DepthMap(width: 1024, height: 768, metres: metres),
                luma: keyframe.luma)
        }
        #expect(try small.analyze() == large.analyze())
    }

    @Test("of six seconds are judged in little time")
    func time() throws {
        let start = clock()
        var random = Randomness(5)
        _ = try analyze(60) { index in
            try Maps.make(width: 221, height: 221) { u, v in
                let metres: Double = u * u + v * v > 0.3 ? 2 : 1
                return metres * (1 + 0.02 * random.unit()) + Double(index) * 0.01
            }
        } _: {
            UInt8(truncatingIfNeeded: ($0 &+ $1) &* 73)
        }
        // A tenth of a second each is many times of what they take.
        #expect(Double(clock() - start) / Double(CLOCKS_PER_SEC) < 6)
    }
}
