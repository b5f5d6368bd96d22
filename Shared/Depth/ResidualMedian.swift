/// Computes the median absolute residual of one surface after another: by a histogram of magnitudes, then an exact selection within one
/// bin. Reuses its buffers.
struct ResidualMedian {
    /// Bins of 1/32 of a power of two, from 2⁻⁴⁰ to 2¹⁰ 1/m; the first and the last bin include the values beyond.
    private static let shift: UInt64 = 47
    private static let first = Int((0x1p-40).bitPattern >> shift)
    private static let last = Int((0x1p10).bitPattern >> shift) - first

    /// Room of one histogram: a power of two, more than `last`.
    private static let bins = 2048

    /// 1/m; NaN where there is no measurement.
    private var residuals: [Double]
    /// Four histograms, counted in turn: neighbours often are in one bin, and one count would wait for the other.
    private var counts = [Int32](repeating: 0, count: 4 * bins)

    init(_ grid: CentreGrid) { residuals = [Double](repeating: .nan, count: grid.inverse.count) }

    /// - Returns: the residual at index `validCount / 2` of the valid pixels in ascending order, in 1/m; `nil` if it is not a number.
    mutating func median(of fit: SurfaceFit, in grid: CentreGrid) -> Double? {
        guard grid.validCount > 0, residuals.count == grid.inverse.count else { return nil }
        measure(fit, grid)
        var bin = 0
        var rank = grid.validCount / 2
        while bin < Self.last, rank >= count(in: bin) {
            rank -= count(in: bin)
            bin += 1
        }
        let lower = bin == 0 ? 0 : Self.start(of: bin)
        let upper = bin == Self.last ? Double.infinity : Self.start(of: bin + 1)
        let candidates = residuals.filter { $0 >= lower && $0 < upper }
        guard rank < candidates.count else { return nil }
        return Median.value(at: rank, of: candidates)
    }

    private func count(in bin: Int) -> Int {
        (0..<4).reduce(0) { $0 + Int(counts[$1 * Self.bins + bin]) }
    }

    private mutating func measure(_ fit: SurfaceFit, _ grid: CentreGrid) {
        for index in counts.indices { counts[index] = 0 }
        let width = grid.u.count
        residuals.withUnsafeMutableBufferPointer { residuals in
            counts.withUnsafeMutableBufferPointer { counts in
                grid.u.withUnsafeBufferPointer { columns in
                    grid.inverse.withUnsafeBufferPointer { inverse in
                        for y in 0..<grid.v.count {
                            let line = fit.row(grid.v[y])
                            let start = y * width
                            let row = UnsafeMutableBufferPointer(rebasing: residuals[start..<start + width])
                            let depths = UnsafeBufferPointer(rebasing: inverse[start..<start + width])
                            for x in 0..<width { row[x] = abs(depths[x] - line.inverseDepth(columns[x])) }
                            for x in 0..<width { counts[(x & 3) &* Self.bins &+ Self.bin(row[x])] &+= 1 }
                        }
                    }
                }
            }
        }
    }

    /// NaN is counted in the last bin, since its bit pattern is greater than that of any number.
    @inline(__always)
    private static func bin(_ residual: Double) -> Int {
        min(max(Int(truncatingIfNeeded: residual.bitPattern >> shift) - first, 0), last)
    }

    private static func start(of bin: Int) -> Double { Double(bitPattern: UInt64(bin + first) << shift) }
}
