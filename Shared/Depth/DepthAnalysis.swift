public import Models

/// Distinguishes a scene with relief from one smooth surface, method `relief-2` (`guides/depth.md`).
///
/// Results are bit-identical on all machines: Float64 sums run in row-major order, only +, −, ×, ÷, square root and comparisons are used
/// (IEEE 754 defines their results exactly), and all computations on the photo are integer arithmetic. Swift neither reorders nor fuses
/// floating-point operations.
public enum DepthAnalysis {
    public static let method = "relief-2"

    /// - Parameters:
    ///   - map: with more than `DepthMap.measuredPixels` pixels it is first reduced to its `DepthMap.measuredSize`; all results are of the
    ///     reduced map.
    ///   - luma: the photo's brightness as stored, of any size, with the same field of view; without it edge coherence is 0.
    ///   - exifOrientation: the photo's, 1...8; anything else counts as absent.
    public static func analyze(depth map: DepthMap, luma: LumaImage?, exifOrientation: Int?) -> DepthMeasurements {
        let map = map.reduced()
        let statistics = DepthStatistics(map)
        let jumps = DepthJumps(map)
        let photo = PhotoEdges.best(map, jumps, luma, exifOrientation)
        let followsSpecifiedRule = statistics.deviation > 0.5 && statistics.layers >= 3 && photo.coherence > 0.7
        let appraisal = appraise(map, statistics, jumps, followsSpecifiedRule: followsSpecifiedRule)
        return DepthMeasurements(
            depthVariance: statistics.deviation, depthLayers: statistics.layers, edgeCoherence: photo.coherence,
            minDepth: statistics.minimum, maxDepth: statistics.maximum, relief: appraisal.surface?.relief,
            reliefFront: appraisal.surface?.front, reliefBehind: appraisal.surface?.behind,
            photoEdgesOnSurface: photo.edges.flatMap { appraisal.surface?.share(ofEdges: $0, width: map.width) },
            coverage: statistics.coverage, verdict: appraisal.verdict, specifiedRule: followsSpecifiedRule,
            method: method, reason: appraisal.reason, rotation: photo.rotation)
    }

    private struct Appraisal {
        let verdict: DepthVerdict
        let surface: FittedSurface?
        let reason: DepthReason?
    }

    private static func appraise(
        _ map: DepthMap, _ statistics: DepthStatistics, _ jumps: DepthJumps, followsSpecifiedRule: Bool
    ) -> Appraisal {
        // 10 × valid < 3 × pixels is coverage < 30 % without rounding.
        guard statistics.valid.count * 10 >= map.metres.count * 3 else {
            return Appraisal(verdict: .undecided, surface: nil, reason: .tooFewValid)
        }
        let grid = CentreGrid(map)
        guard grid.validCount >= CentreRelief.leastValid else {
            return Appraisal(verdict: .undecided, surface: nil, reason: .tooFewValid)
        }
        // Noise is not fitted: the search would be slow and find no surface.
        guard !jumps.isNoise(validCount: statistics.valid.count), let surface = CentreRelief.surface(of: grid) else {
            return Appraisal(verdict: .undecided, surface: nil, reason: .notASurface)
        }
        // A screen that fills all but a tenth to a fifth of the centre, with a room behind it, meets the specified rule. So if the relief
        // is between the two thresholds, the rule counts only together with something in front of the surface.
        let isReal = surface.relief > 0.20 || (surface.front >= 0.10 && followsSpecifiedRule)
        if isReal, surface.isScattered {
            return Appraisal(verdict: .undecided, surface: surface, reason: .notASurface)
        }
        return Appraisal(
            verdict: isReal ? .real : surface.relief < 0.10 ? .flat : .undecided, surface: surface, reason: nil)
    }
}
