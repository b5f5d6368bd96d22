/// Iteratively reweighted least squares with Tukey's biweight, scaled by the median absolute residual.
///
/// Uses only +, −, ×, ÷ and comparisons of Float64, and sums in row-major order, so that results are the same on all machines.
struct RobustFit {
    /// A surface converges in three to six rounds; a fit that has not converged after these indicates a scene without a surface.
    private static let maximumRounds = 16
    /// Tukey's biweight reaches 95 % efficiency at this many standard deviations.
    private static let tukey = 4.685
    /// Converts a median absolute residual to the standard deviation of a normal distribution.
    private static let normal = 1.4826
    /// Once the scale changes by less than this share, it is fixed.
    private static let settledScale = 0.01

    private let grid: CentreGrid
    /// See ``groups(of:)``.
    private let twoRows: [SIMD2<Double>]
    /// In 1/m: a thousandth of the mean inverse depth. Smaller residuals are rounding errors, and surfaces that differ by less count as the
    /// same.
    private let leastScale: Double
    private var residuals: ResidualMedian
    private var found: [SurfaceFit] = []

    init(_ grid: CentreGrid) {
        self.grid = grid
        twoRows = Self.groups(of: grid)
        leastScale = 0.001 * grid.meanInverse
        residuals = ResidualMedian(grid)
    }

    /// - Returns: `nil` if the first pixels do not determine a quadratic, or if an earlier start converged to the same surface.
    mutating func fit(from start: FitStart) -> SurfaceFit? {
        guard var fit = begin(start).solved() else { return nil }
        var scale = 0.0
        var isSettled = false
        for _ in 1..<Self.maximumRounds {
            if !isSettled {
                guard let median = residuals.median(of: fit, in: grid) else { break }
                let next = max(Self.normal * median, leastScale)
                isSettled = abs(next - scale) <= Self.settledScale * next
                scale = next
            }
            guard let next = weighted(fit, cutoff: Self.tukey * scale).solved() else { break }
            let step = next.distance(to: fit)
            fit = next
            if step <= 0.1 * leastScale { break }
            if isKnown(fit) { return nil }
        }
        guard !isKnown(fit) else { return nil }
        found.append(fit)
        return fit
    }

    private func isKnown(_ fit: SurfaceFit) -> Bool { found.contains { $0.distance(to: fit) <= leastScale } }

    private func begin(_ start: FitStart) -> Moments {
        let region = start.region(width: grid.u.count, height: grid.v.count)
        var moments = Moments()
        for y in region.rows {
            // One row alone, in the first lane.
            var rows = Moments.TwoRows()
            for x in region.columns {
                let inverse = grid.inverse[y * grid.u.count + x]
                if !inverse.isNaN { rows.add(SIMD2(inverse, 0), u: grid.u[x], weight: SIMD2(1, 0)) }
            }
            moments.add(rows[0], v: grid.v[y])
        }
        return moments
    }

    /// Each pixel weighted by its distance from `fit`; pixels at `cutoff` or more have no weight.
    private func weighted(_ fit: SurfaceFit, cutoff: Double) -> Moments {
        var moments = Moments()
        let share = 1 / cutoff
        let width = grid.u.count
        grid.u.withUnsafeBufferPointer { columns in
            twoRows.withUnsafeBufferPointer { inverse in
                for top in stride(from: 0, to: grid.v.count, by: 2) {
                    let lines = (fit.row(grid.v[top]), fit.row(top + 1 < grid.v.count ? grid.v[top + 1] : 0))
                    let constant = SIMD2(lines.0.constant, lines.1.constant)
                    let linear = SIMD2(lines.0.linear, lines.1.linear)
                    let square = lines.0.square
                    var rows = Moments.TwoRows()
                    var place = top / 2 * width
                    for u in columns {
                        // As `SurfaceFit.Row.inverseDepth(_:)`.
                        let ratio = (inverse[place] - (constant + u * (linear + square * u))) * share
                        let rest = 1 - ratio * ratio
                        // False for NaN too.
                        rows.add(inverse[place], u: u, weight: (rest * rest).replacing(with: 0, where: .!(rest .> 0)))
                        place += 1
                    }
                    for lane in 0..<min(2, grid.v.count - top) { moments.add(rows[lane], v: grid.v[top + lane]) }
                }
            }
        }
        return moments
    }

    /// The centre's inverse depths by pairs of rows, one row in each lane. What is no measurement is so far off any surface that it has
    /// no weight; unlike NaN it stays 0 when multiplied by it.
    private static func groups(of grid: CentreGrid) -> [SIMD2<Double>] {
        let (width, height) = (grid.u.count, grid.v.count)
        var groups = [SIMD2<Double>](repeating: SIMD2(repeating: 1e300), count: (height + 1) / 2 * width)
        for y in 0..<height {
            for x in 0..<width where !grid.inverse[y * width + x].isNaN { groups[y / 2 * width + x][y % 2] = grid.inverse[y * width + x] }
        }
        return groups
    }
}
