/// A smooth surface in inverse depth: 1/z = c₀ + c₁u + c₂v + c₃u² + c₄uv + c₅v².
///
/// In 1/z a plane is exactly linear in pixel coordinates, so tilted planes fit without intrinsics; the quadratic part fits curved screens
/// and bent paper.
struct SurfaceFit: Equatable {
    /// Six, in 1/m.
    let coefficients: [Double]

    /// The surface along one row of pixels: a quadratic of u alone.
    struct Row {
        let constant: Double
        let linear: Double
        let square: Double

        /// In 1/m; may be 0 or negative far from the pixels that were fitted.
        @inline(__always)
        func inverseDepth(_ u: Double) -> Double { constant + u * (linear + square * u) }
    }

    func row(_ v: Double) -> Row {
        let c = coefficients
        return Row(constant: c[0] + v * (c[2] + c[5] * v), linear: c[1] + c[4] * v, square: c[3])
    }

    func inverseDepth(_ u: Double, _ v: Double) -> Double { row(v).inverseDepth(u) }

    /// An upper bound of the difference of two surfaces over the centre, in 1/m.
    func distance(to other: SurfaceFit) -> Double {
        var sum = 0.0
        for (mine, theirs) in zip(coefficients, other.coefficients) { sum += abs(mine - theirs) }
        return sum
    }
}
