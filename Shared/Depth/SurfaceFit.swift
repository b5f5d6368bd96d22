/// A smooth surface in inverse depth: 1/z = c₀ + c₁u + c₂v + c₃u² + c₄uv + c₅v².
///
/// In 1/z a plane is exactly linear in pixel coordinates, so tilt costs nothing and no intrinsics are needed; the quadratic
/// part absorbs curved screens and bent paper (`guides/depth.md`). Uses only +, −, ×, ÷ and comparisons of Float64 in a
/// fixed order: the same bits on every machine.
struct SurfaceFit {
    /// One valid pixel; u and v in −1...1 over the centre, inverse depth in 1/m.
    struct Sample {
        let u: Double
        let v: Double
        let inverseDepth: Double
    }

    private static let maximumRounds = 30
    /// Tukey's biweight reaches 95 % efficiency at this many standard deviations.
    private static let tukey = 4.685
    /// Makes a median absolute residual a standard deviation of the normal distribution.
    private static let normal = 1.4826

    private(set) var coefficients: [Double]

    /// Inverse depth in 1/m; may be 0 or negative far from the samples.
    func inverseDepth(_ u: Double, _ v: Double) -> Double {
        let c = coefficients
        return c[0] + c[1] * u + c[2] * v + c[3] * (u * u) + c[4] * (u * v) + c[5] * (v * v)
    }

    /// Iteratively reweighted least squares with Tukey's biweight, scaled by the median absolute residual.
    /// - Returns: `nil` if the samples do not determine a quadratic (all in two rows, for example).
    static func robust(to samples: [Sample]) -> SurfaceFit? {
        guard !samples.isEmpty else { return nil }
        var weights = [Double](repeating: 1, count: samples.count)
        var best: SurfaceFit?
        var previous = 0.0
        // Below a thousandth of the mean inverse depth residuals are rounding, not outliers.
        var sum = 0.0
        for sample in samples { sum += sample.inverseDepth }
        let leastScale = 0.001 * sum / Double(samples.count)
        for _ in 0..<maximumRounds {
            guard let fit = weighted(samples, weights) else { break }
            best = fit
            let residuals = samples.map { abs($0.inverseDepth - fit.inverseDepth($0.u, $0.v)) }
            guard let median = Median.upper(of: residuals) else { break }
            let scale = max(normal * median, leastScale)
            if abs(scale - previous) <= 1e-6 * scale { break }
            previous = scale
            let cutoff = tukey * scale
            for index in residuals.indices {
                let ratio = residuals[index] / cutoff
                let rest = 1 - ratio * ratio
                weights[index] = rest > 0 ? rest * rest : 0
            }
        }
        return best
    }

    /// Least squares through the normal equations, whose entries are moments of u and v up to the fourth degree.
    private static func weighted(_ samples: [Sample], _ weights: [Double]) -> SurfaceFit? {
        var (m00, m10, m01, m20, m11, m02) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        var (m30, m21, m12, m03) = (0.0, 0.0, 0.0, 0.0)
        var (m40, m31, m22, m13, m04) = (0.0, 0.0, 0.0, 0.0, 0.0)
        var (b0, b1, b2, b3, b4, b5) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for index in samples.indices where weights[index] > 0 {
            let (sample, w) = (samples[index], weights[index])
            let (u, v) = (sample.u, sample.v)
            let (uu, uv, vv) = (u * u, u * v, v * v)
            let (wu, wv, wuu, wuv, wvv) = (w * u, w * v, w * uu, w * uv, w * vv)
            m00 += w
            m10 += wu
            m01 += wv
            m20 += wuu
            m11 += wuv
            m02 += wvv
            m30 += wuu * u
            m21 += wuu * v
            m12 += wvv * u
            m03 += wvv * v
            m40 += wuu * uu
            m31 += wuu * uv
            m22 += wuu * vv
            m13 += wvv * uv
            m04 += wvv * vv
            let q = sample.inverseDepth
            b0 += w * q
            b1 += wu * q
            b2 += wv * q
            b3 += wuu * q
            b4 += wuv * q
            b5 += wvv * q
        }
        let solution = LinearSystem.solve([
            [m00, m10, m01, m20, m11, m02, b0],
            [m10, m20, m11, m30, m21, m12, b1],
            [m01, m11, m02, m21, m12, m03, b2],
            [m20, m30, m21, m40, m31, m22, b3],
            [m11, m21, m12, m31, m22, m13, b4],
            [m02, m12, m03, m22, m13, m04, b5],
        ])
        return solution.map(SurfaceFit.init(coefficients:))
    }
}
