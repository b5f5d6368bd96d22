/// Computes the median absolute residual of one surface after another, exactly: a sample tells where it is likely to be, and it is selected
/// among the few residuals there. Reuses its buffers.
struct ResidualMedian {
    /// Bins of 1/32 of a power of two, from 2⁻²⁰ to 2¹⁰ 1/m; the first and the last bin include the values beyond.
    private static let shift: UInt64 = 47
    private static let first = Int((0x1p-20).bitPattern >> shift)
    private static let last = Int((0x1p10).bitPattern >> shift) - first
    /// Every so many pixels are in the sample.
    private static let spacing = 16
    /// Fewer pixels than this in the sample tell too little.
    private static let leastSample = 64

    /// 1/m, not negative; NaN where there is no measurement.
    private var residuals: [Double]
    /// How many residuals of the sample each bin has.
    private var counts = [Int32](repeating: 0, count: last + 1)
    /// Room for the residuals of a range.
    private var candidates: [Double]

    init(_ grid: CentreGrid) {
        residuals = [Double](repeating: .nan, count: grid.inverse.count)
        candidates = residuals
    }

    /// - Returns: the residual at index `validCount / 2` of the valid pixels in ascending order, in 1/m; `nil` if it is not a number.
    mutating func median(of fit: SurfaceFit, in grid: CentreGrid) -> Double? {
        guard grid.validCount > 0, residuals.count == grid.inverse.count else { return nil }
        measure(fit, grid)
        let rank = grid.validCount / 2
        if let range = likelyRange() {
            let (below, found) = collect(range)
            if rank >= below, rank < below + found { return Median.value(at: rank - below, of: Array(candidates[..<found])) }
        }
        return Median.value(at: rank, of: residuals.filter { $0 < .infinity })
    }

    private mutating func measure(_ fit: SurfaceFit, _ grid: CentreGrid) {
        let width = grid.u.count
        residuals.withUnsafeMutableBufferPointer { residuals in
            grid.u.withUnsafeBufferPointer { columns in
                grid.inverse.withUnsafeBufferPointer { inverse in
                    for y in 0..<grid.v.count {
                        let line = fit.row(grid.v[y])
                        let start = y * width
                        let row = UnsafeMutableBufferPointer(rebasing: residuals[start..<start + width])
                        let depths = UnsafeBufferPointer(rebasing: inverse[start..<start + width])
                        for x in 0..<width { row[x] = abs(depths[x] - line.inverseDepth(columns[x])) }
                    }
                }
            }
        }
    }

    /// A range of whole bins that includes the sample's median and four standard deviations of its rank on either side, each half the root
    /// of the sample's count; `nil` if the sample is too small.
    private mutating func likelyRange() -> Range<Double>? {
        for index in counts.indices { counts[index] = 0 }
        var count = 0
        for place in stride(from: 0, to: residuals.count, by: Self.spacing) where !residuals[place].isNaN {
            counts[Self.bin(residuals[place])] += 1
            count += 1
        }
        guard count >= Self.leastSample else { return nil }
        let margin = 2 * Int(Double(count).squareRoot())
        let (lower, upper) = (bin(at: count / 2 - margin), bin(at: count / 2 + margin))
        return (lower == 0 ? 0 : Self.start(of: lower))..<(upper == Self.last ? .infinity : Self.start(of: upper + 1))
    }

    /// The bin of the sample's value at a rank.
    private func bin(at rank: Int) -> Int {
        var rest = rank
        for bin in 0..<Self.last {
            rest -= Int(counts[bin])
            if rest < 0 { return bin }
        }
        return Self.last
    }

    /// Copies the residuals in a range to the front of ``candidates``, without a branch for each.
    /// - Returns: the number of residuals below the range, and of those in it.
    private mutating func collect(_ range: Range<Double>) -> (below: Int, found: Int) {
        // The bit patterns of numbers that are not negative sort like the numbers, and those of NaN are greater.
        let (lower, upper) = (range.lowerBound.bitPattern, range.upperBound.bitPattern)
        var (below, found) = (0, 0)
        residuals.withUnsafeBufferPointer { residuals in
            candidates.withUnsafeMutableBufferPointer { candidates in
                for residual in residuals {
                    let bits = residual.bitPattern
                    candidates[found] = residual
                    below &+= bits < lower ? 1 : 0
                    found &+= bits &- lower < upper &- lower ? 1 : 0
                }
            }
        }
        return (below, found)
    }

    @inline(__always)
    private static func bin(_ residual: Double) -> Int {
        min(max(Int(truncatingIfNeeded: residual.bitPattern >> shift) - first, 0), last)
    }

    private static func start(of bin: Int) -> Double { Double(bitPattern: UInt64(bin + first) << shift) }
}
