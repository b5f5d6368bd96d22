public import Models

/// Distinguishes a scene with relief from one smooth surface, method `relief-2`.
///
/// 1. With fewer than 30 % valid pixels, or fewer than 200 in the centre (the middle 60 % × 60 %), nothing is decided.
/// 2. A map in which over half of all neighbouring pixels disagree is noise, and nothing is decided either.
/// 3. A smooth surface (``SurfaceFit``) is fitted to the centre, from six starts; the fit that leaves the fewest pixels off is kept.
/// 4. The relief is the share of the centre that is off this surface, by more than 2 % of the distance and more than 8 mm.
/// 5. ``DepthRule`` gives the verdict: more than 20 % relief is a scene, less than 10 % is flat.
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
