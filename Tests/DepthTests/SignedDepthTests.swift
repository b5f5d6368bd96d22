import CaptureProtocol
import Depth
import Foundation
import Models
import Testing

@Suite("Measurements that a device signs")
struct SignedDepthTests {
    /// The measurements after they were written, sent, read and judged again.
    private func received(_ measured: DepthMeasurements) throws -> DepthMeasurements {
        let facts = HashOnlyPayload.Facts(capturedAt: .distantPast, location: nil, deviceModel: "iPhone 15 Pro")
        let payload = HashOnlyPayload(
            mediaHash: ContentDigest(of: [1]), facts: facts, sharing: MetadataFlags(location: .none, timestamp: .none, device: .none),
            depth: measured.signed)
        var read = DepthMeasurements(try #require(try HashOnlyPayload.parse(payload.bytes()).depth))
        // How a map lies beside its photo is of no use without them.
        read.rotation = measured.rotation
        return read
    }

    private func expectSameBits(_ first: DepthMeasurements, _ second: DepthMeasurements, _ what: String) {
        func bits(_ numbers: DepthMeasurements) -> [UInt64?] {
            [
                numbers.depthVariance, numbers.edgeCoherence, numbers.minDepth, numbers.maxDepth, numbers.relief, numbers.reliefFront,
                numbers.reliefBehind, numbers.photoEdgesOnSurface, numbers.coverage,
            ].map { $0?.bitPattern }
        }
        #expect(bits(first) == bits(second), "\(what)")
        #expect(first == second, "\(what)")
    }

    @Test(
        "arrive with the same bits and the same verdict", .enabled(if: Sample.arePresent, "needs ../shared/data/rgbd"),
        arguments: Sample.all)
    func samples(sample: Sample) throws {
        let measured = DepthAnalysis.analyze(depth: try sample.depth(), luma: try sample.luma(), exifOrientation: nil)
        expectSameBits(try received(measured), measured, sample.name)
        #expect(measured.verdict.rawValue == sample.label)
    }

    /// Small maps of all kinds: empty ones, constants, noise, planes, steps, with holes.
    private func map(_ random: inout Randomness) throws -> DepthMap {
        let (width, height) = (1 + Int(random.unit() * 40), 1 + Int(random.unit() * 40))
        let (kind, holes) = (Int(random.unit() * 6), random.unit() * random.unit() * 1.2)
        let (near, slope, step) = (0.1 + random.unit() * 5, random.unit() * 0.8, random.unit() * 3)
        var generator = random
        let map = try Maps.make(width: width, height: height) { u, v in
            if generator.unit() < holes { return [Double.nan, .infinity, -1, 0, 25][Int(generator.unit() * 5)] }
            switch kind {
            case 0: return near
            case 1: return generator.unit() * 21
            case 2: return Maps.plane(distance: near, slope: slope, u: u)
            case 3: return (abs(u) < 0.4 && abs(v) < 0.5 ? near : near + step) * Maps.noise(&generator)
            case 4: return near + step * (u * u + v) * Maps.noise(&generator)
            default: return u > slope ? near : near + step + 0.2 * v
            }
        }
        random = generator
        return map
    }

    @Test("of 1,000 small maps are all plausible, with the same bits")
    func randomMaps() throws {
        var random = Randomness(12)
        var verdicts: [DepthVerdict: Int] = [:]
        for index in 0..<1000 {
            let map = try map(&random)
            let luma = try LumaImage(
                width: map.width, height: map.height, pixels: (0..<map.width * map.height).map { _ in random.byte() })
            let measured = DepthAnalysis.analyze(depth: map, luma: index.isMultiple(of: 3) ? nil : luma, exifOrientation: nil)
            expectSameBits(try received(measured), measured, "map \(index): \(measured)")
            verdicts[measured.verdict, default: 0] += 1
        }
        #expect(verdicts.count == 3, "\(verdicts)")
    }
}
