/// The sums of the normal equations of least squares over the pixels of the centre: weights times powers of u and v up to the fourth
/// degree, and times inverse depth.
///
/// v is constant along a row, so a row is first summed by powers of u alone.
struct Moments {
    private var (m00, m10, m01, m20, m11, m02) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    private var (m30, m21, m12, m03) = (0.0, 0.0, 0.0, 0.0)
    private var (m40, m31, m22, m13, m04) = (0.0, 0.0, 0.0, 0.0, 0.0)
    private var (b0, b1, b2, b3, b4, b5) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    /// The sums of one row: weight × uⁿ, and weight × uⁿ × inverse depth.
    struct Row {
        fileprivate var (s0, s1, s2, s3, s4) = (0.0, 0.0, 0.0, 0.0, 0.0)
        fileprivate var (t0, t1, t2) = (0.0, 0.0, 0.0)
    }

    /// Sums two rows, one in each lane. A pixel without weight adds 0, which changes no sum.
    struct TwoRows {
        private var (s0, s1, s2, s3) = (SIMD2<Double>(), SIMD2<Double>(), SIMD2<Double>(), SIMD2<Double>())
        private var (s4, t0, t1, t2) = (SIMD2<Double>(), SIMD2<Double>(), SIMD2<Double>(), SIMD2<Double>())

        /// - Parameter inverseDepth: finite.
        @inline(__always)
        mutating func add(_ inverseDepth: SIMD2<Double>, u: Double, weight: SIMD2<Double>) {
            let first = weight * u
            let second = first * u
            let third = second * u
            s0 += weight
            s1 += first
            s2 += second
            s3 += third
            s4 += third * u
            t0 += weight * inverseDepth
            t1 += first * inverseDepth
            t2 += second * inverseDepth
        }

        subscript(_ lane: Int) -> Row {
            var row = Row()
            (row.s0, row.s1, row.s2, row.s3, row.s4) = (s0[lane], s1[lane], s2[lane], s3[lane], s4[lane])
            (row.t0, row.t1, row.t2) = (t0[lane], t1[lane], t2[lane])
            return row
        }
    }

    mutating func add(_ row: Row, v: Double) {
        let vv = v * v
        m00 += row.s0
        m10 += row.s1
        m20 += row.s2
        m30 += row.s3
        m40 += row.s4
        m01 += row.s0 * v
        m11 += row.s1 * v
        m21 += row.s2 * v
        m31 += row.s3 * v
        m02 += row.s0 * vv
        m12 += row.s1 * vv
        m22 += row.s2 * vv
        m03 += row.s0 * (vv * v)
        m13 += row.s1 * (vv * v)
        m04 += row.s0 * (vv * vv)
        b0 += row.t0
        b1 += row.t1
        b2 += row.t0 * v
        b3 += row.t2
        b4 += row.t1 * v
        b5 += row.t0 * vv
    }

    /// - Returns: `nil` if the pixels do not determine a quadratic (all in two rows, for example).
    func solved() -> SurfaceFit? {
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
