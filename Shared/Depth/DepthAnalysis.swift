public import Models

/// Distinguishes a scene with relief from one smooth surface, method `relief-2` (`guides/depth.md`).
///
/// Results are bit-identical on all machines: Float64 sums run in row-major order, only +, −, ×, ÷, square root and comparisons are used
/// (IEEE 754 defines their results exactly), and all computations on the photo are integer arithmetic. Swift neither reorders nor fuses
/// floating-point operations.
public enum DepthAnalysis {
    /// - Parameters:
    ///   - map: with more than `DepthMap.measuredPixels` pixels it is first reduced to its `DepthMap.measuredSize`; all results are of the
    ///     reduced map.
    ///   - luma: the photo's brightness as stored, of any size, with the same field of view; without it edge coherence is 0.
    ///   - exifOrientation: the photo's, 1...8; anything else counts as absent.
    public static func analyze(depth map: DepthMap, luma: LumaImage?, exifOrientation: Int?) -> DepthMeasurements {
        FittedDepth(map).measurements(luma: luma, exifOrientation: exifOrientation)
    }
}
