import CaptureProtocol
import Depth
import Models
import Testing

@Suite("Noise")
struct NoiseTests {
    enum Kind: String, CaseIterable, Sendable {
        case uniformEverywhere, uniformNear, normalTwo, normalFour, normalTen, peppered, checkered, bits
    }

    private func map(_ kind: Kind, seed: UInt64) throws -> DepthMap {
        var random = Randomness(seed)
        var parity = false
        return try Maps.make { u, _ in
            switch kind {
            case .uniformEverywhere: return 0.1 + 19.9 * random.unit()
            case .uniformNear: return 1 + 0.1 * random.unit()
            case .normalTwo: return 1 + 0.02 * random.normal()
            case .normalFour: return Maps.plane(distance: 2, slope: 0.3, u: u) * (1 + 0.04 * random.normal())
            case .normalTen: return 3 * (1 + 0.1 * random.normal())
            case .peppered: return random.unit() < 0.25 ? 0.2 + 5 * random.unit() : 1
            case .checkered:
                parity.toggle()
                return parity ? 0.5 + 3 * random.unit() : 0
            case .bits: return Double(Float(bitPattern: UInt32(random.unit() * 4_294_967_295)))
            }
        }
    }

    @Test("is never real", arguments: Kind.allCases, [UInt64(1), 2, 3])
    func neverReal(kind: Kind, seed: UInt64) throws {
        let result = DepthAnalysis.analyze(depth: try map(kind, seed: seed), luma: nil, exifOrientation: nil)
        #expect(result.verdict != .real)
        let numbers = [
            result.depthVariance, result.edgeCoherence, result.relief ?? 0, result.coverage, result.minDepth ?? 0,
            result.maxDepth ?? 0,
        ]
        #expect(numbers.allSatisfy { $0.isFinite })
    }

    @Test("over the whole range is no surface")
    func notASurface() throws {
        let result = DepthAnalysis.analyze(depth: try map(.uniformEverywhere, seed: 9), luma: nil, exifOrientation: nil)
        #expect(result.verdict == .undecided)
        #expect(result.reason?.known == .notASurface)
    }

    @Test("of a sensor does not hide a scene")
    func sensorNoise() throws {
        #expect(DepthAnalysis.analyze(depth: try Maps.mugOnDesk(), luma: nil, exifOrientation: nil).reason == nil)
    }
}
