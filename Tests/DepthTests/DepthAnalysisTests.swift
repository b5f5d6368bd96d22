import CaptureProtocol
import Depth
import Models
import Testing

@Suite("Depth analysis")
struct DepthAnalyzerTests {
    private func analyze(_ map: DepthMap, _ luma: LumaImage? = nil, orientation: Int? = nil) -> DepthMeasurements {
        DepthAnalysis.analyze(depth: map, luma: luma, exifOrientation: orientation)
    }

    @Test("calls a slanted poster flat, though its deviation exceeds half a metre")
    func slantedPoster() throws {
        let result = analyze(try Maps.slantedPoster())
        #expect(result.depthVariance > 0.5)
        #expect(result.verdict == .flat)
    }

    @Test("calls a mug on a desk real, though its deviation is a tenth of a metre")
    func mug() throws {
        let result = analyze(try Maps.mugOnDesk())
        #expect(result.depthVariance > 0.05 && result.depthVariance < 0.15)
        #expect(result.verdict == .real)
        #expect(!result.specifiedRule)
    }

    @Test("calls a screen with 40 % of the room around it flat")
    func screen() throws {
        let result = analyze(try Maps.screenInRoom())
        #expect(result.depthVariance > 0.5)
        #expect(result.verdict == .flat)
    }

    @Test("calls a curved screen and a bent page flat", arguments: [-0.3, -0.1, 0.1, 0.3])
    func curved(bend: Double) throws {
        var random = Randomness(4)
        let map = try Maps.make { u, v in 0.7 / (1 + bend * u * u + 0.1 * v) * Maps.noise(&random) }
        #expect(analyze(map).verdict == .flat)
    }

    @Test(
        "finds too few valid pixels in maps of one useless value",
        arguments: [Float.nan, .infinity, -.infinity, 0, -1, 0.05, 20.5, .greatestFiniteMagnitude])
    func invalid(value: Float) throws {
        let result = analyze(try Maps.make { _, _ in Double(value) })
        #expect(result.verdict == .undecided)
        #expect(result.reason?.known == .tooFewValid)
        #expect(result.coverage == 0 && result.relief == nil && result.minDepth == nil && result.maxDepth == nil)
        #expect(result.depthVariance == 0 && result.depthLayers == 0 && result.edgeCoherence == 0)
    }

    @Test("calls a constant map flat", arguments: [0.11, 1, 19.9])
    func constant(metres: Double) throws {
        let result = analyze(try Maps.make { _, _ in metres })
        #expect(result.verdict == .flat)
        #expect(result.depthVariance < 1e-9 && result.depthLayers == 1)
    }

    @Test("counts depths from 0.1 m to 20 m, both included")
    func validRange() throws {
        let map = try DepthMap(width: 3, height: 2, metres: [0.0999, 0.1, 20, 20.001, 5, .nan])
        let result = analyze(map)
        #expect(result.coverage == 0.5)
        #expect(result.minDepth == Double(Float(0.1)) && result.maxDepth == 20)
    }

    @Test("needs 30 % valid pixels", arguments: [(0.29, true), (0.31, false)])
    func coverage(share: Double, isTooFew: Bool) throws {
        let map = try Maps.make(width: 100, height: 100) { _, v in (v + 1) / 2 < share || abs(v) < 0.0001 ? 1 : 0 }
        let around = try Maps.make(width: 100, height: 100) { u, _ in abs(u) < share ? 1 : 0 }
        #expect((analyze(map).reason?.known == .tooFewValid) || !isTooFew)
        #expect((analyze(around).reason?.known == .tooFewValid) == isTooFew)
    }

    @Test("needs 200 valid pixels in the centre")
    func centre() throws {
        let ring = try Maps.make { u, v in max(abs(u), abs(v)) > 0.62 ? 1 : .nan }
        #expect(analyze(ring).coverage > 0.5)
        #expect(analyze(ring).reason?.known == .tooFewValid)
        #expect(analyze(try Maps.make(width: 18, height: 18) { u, _ in 1 + u / 4 }).reason?.known == .tooFewValid)
        #expect(analyze(try Maps.make(width: 30, height: 30) { u, _ in 1 + u / 4 }).reason == nil)
    }

    @Test("measures no relief where the pixels determine no surface")
    func undeterminedSurface() throws {
        // Valid around the centre, but only two valid rows inside.
        let map = try Maps.make { u, v in max(abs(u), abs(v)) > 0.62 || abs(v) < 0.01 ? 1 + 0.1 * u : .nan }
        let result = analyze(map)
        #expect(result.verdict == .undecided)
        #expect(result.reason?.known == .notASurface && result.relief == nil)
    }

    @Test(
        "takes the specified rule between the thresholds of relief",
        arguments: [(0.08, DepthVerdict.flat), (0.15, .undecided), (0.25, .real)])
    func thresholds(share: Double, verdict: DepthVerdict) throws {
        // Slats 10 cm in front of a wall, which without a photo cannot meet the specified rule.
        let map = try Maps.make { u, _ in Self.isSlat(u, share) ? 0.9 : 1 }
        let result = analyze(map)
        #expect(abs((result.relief ?? 0) - share) < 0.02)
        #expect(result.verdict == verdict)
    }

    /// Ten slats across that cover this share.
    private static func isSlat(_ u: Double, _ share: Double) -> Bool {
        let position = (u + 1) * 5
        return position - position.rounded(.down) < share
    }

    @Test("lets the specified rule turn an undecided relief real")
    func specifiedRule() throws {
        // Slats in front of a wall in the centre, surrounded by the room at two distances.
        let map = try Maps.make { u, v in
            if max(abs(u), abs(v)) > 0.65 { return u > 0 ? 4 : 2.5 }
            return Self.isSlat(u, 0.15) ? 0.7 : 1
        }
        let brightness: [Float: UInt8] = [0.7: 250, 1: 20, 2.5: 120, 4: 220]
        let photo = try LumaImage(width: 256, height: 192, pixels: map.metres.map { brightness[$0] ?? 0 })
        let withPhoto = analyze(map, photo)
        #expect(withPhoto.edgeCoherence > 0.8 && withPhoto.depthLayers >= 3 && withPhoto.depthVariance > 0.5)
        #expect(withPhoto.specifiedRule && withPhoto.verdict == .real)
        let without = analyze(map)
        #expect(without.relief == withPhoto.relief)
        #expect(!without.specifiedRule && without.verdict == .undecided && without.reason == nil)
    }

    /// Recorded on x86-64 Linux.
    @Test("gives the recorded bits on every machine")
    func golden() throws {
        let result = analyze(try Maps.mugOnDesk())
        #expect(result.depthVariance.bitPattern == goldenDeviation)
        #expect(result.relief?.bitPattern == goldenRelief)
        #expect(result.depthLayers == goldenLayers)
    }

    private let goldenDeviation: UInt64 = 4_591_967_201_783_847_929
    private let goldenRelief: UInt64 = 4_606_520_391_671_632_112
    private let goldenLayers = 9
}
