import Models

/// Tells a scene with relief from one smooth surface, method `relief-1` (`guides/depth.md`).
///
/// The result is the same bit for bit on every machine: Float64 sums run in row-major order, only +, −, ×, ÷, square root and
/// comparisons are used (IEEE 754 defines their results exactly), and what concerns the photo is integer arithmetic.
/// Swift neither reorders nor fuses floating-point operations.
public enum DepthAnalyzer {
    public static let method = "relief-1"

    /// - Parameters:
    ///   - luma: the photo's brightness as stored, of any size, same field of view; without it edge coherence is 0.
    ///   - exifOrientation: 1...8 as in the photo; anything else counts as absent.
    public static func analyze(depth map: DepthMap, luma: LumaImage?, exifOrientation: Int?) -> DepthMeasurements {
        let statistics = DepthStatistics(map)
        let jumps = DepthJumps(map)
        let (coherence, rotation) = bestCoherence(map, jumps, luma, exifOrientation)
        let followsSpecifiedRule = statistics.deviation > 0.5 && statistics.layers >= 3 && coherence > 0.7
        let appraisal = appraise(map, statistics, jumps, followsSpecifiedRule: followsSpecifiedRule)
        return DepthMeasurements(
            depthVariance: statistics.deviation, depthLayers: statistics.layers, edgeCoherence: coherence,
            minDepth: statistics.minimum, maxDepth: statistics.maximum, relief: appraisal.relief,
            coverage: statistics.coverage, verdict: appraisal.verdict, specifiedRule: followsSpecifiedRule,
            method: method, reason: appraisal.reason, rotation: rotation)
    }

    private struct Appraisal {
        let verdict: DepthVerdict
        let relief: Double?
        let reason: String?
    }

    private static func appraise(
        _ map: DepthMap, _ statistics: DepthStatistics, _ jumps: DepthJumps, followsSpecifiedRule: Bool
    ) -> Appraisal {
        // 10 × valid < 3 × pixels is coverage < 30 % without rounding.
        guard statistics.valid.count * 10 >= map.metres.count * 3 else {
            return Appraisal(verdict: .undecided, relief: nil, reason: "too_few_valid")
        }
        let centre = CentreRelief(map)
        guard centre.validCount >= CentreRelief.leastValid else {
            return Appraisal(verdict: .undecided, relief: nil, reason: "too_few_valid")
        }
        guard !jumps.isNoise(validCount: statistics.valid.count), let relief = centre.relief else {
            return Appraisal(verdict: .undecided, relief: centre.relief, reason: "not_a_surface")
        }
        let isReal = relief > 0.20 || (relief >= 0.10 && followsSpecifiedRule)
        if isReal, centre.isScattered {
            return Appraisal(verdict: .undecided, relief: relief, reason: "not_a_surface")
        }
        return Appraisal(verdict: isReal ? .real : relief < 0.10 ? .flat : .undecided, relief: relief, reason: nil)
    }

    /// The highest coherence among the rotations left open, the likeliest of equals.
    private static func bestCoherence(
        _ map: DepthMap, _ jumps: DepthJumps, _ luma: LumaImage?, _ exif: Int?
    ) -> (coherence: Double, rotation: Int) {
        let candidates = DepthOrientation.candidates(depth: (map.width, map.height), photo: luma, exif: exif)
        var best = (coherence: 0.0, rotation: candidates[0].rotation)
        guard let luma, jumps.edgeCount > 0 else { return best }
        for candidate in candidates {
            let photo = candidate.apply(to: luma, width: map.width, height: map.height)
            let coherence = jumps.coherence(with: CannyEdges.find(in: photo), width: map.width)
            if coherence > best.coherence { best = (coherence, candidate.rotation) }
        }
        return best
    }
}
