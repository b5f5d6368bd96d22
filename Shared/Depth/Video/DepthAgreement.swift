/// Whether the depth of a keyframe agrees with that of the one before, along the motion in the picture. Differences of ln z count relative
/// to their median, so that coming nearer as a whole changes nothing.
enum DepthAgreement {
    /// Side of the blocks around grid points, in pixels of the half size.
    static let block = 8
    static let leastDifferences = 500
    /// Largest difference of ln z that agrees: 0.05.
    static let tolerance = Int32(0.05 * Double(HalfDepth.unit))

    /// - Returns: the share of pixels that agree, 0...1; `nil` with too few of them.
    static func measure(_ motion: MotionField, from first: HalfDepth, to second: HalfDepth) -> Double? {
        guard first.width == second.width, first.height == second.height else { return nil }
        var differences: [Int32] = []
        differences.reserveCapacity(motion.matches.count * block * block)
        for match in motion.matches { append(match, first, second, to: &differences) }
        guard differences.count >= leastDifferences, let median = median(of: differences) else { return nil }
        var agreeing = 0
        for difference in differences where abs(difference - median) <= tolerance { agreeing += 1 }
        return Double(agreeing) / Double(differences.count)
    }

    private static func append(_ match: MotionField.Match, _ first: HalfDepth, _ second: HalfDepth, to differences: inout [Int32]) {
        let (width, height) = (first.width, first.height)
        for y in max(match.y - block / 2, 0)..<min(match.y + block / 2, height) where y + match.dy >= 0 && y + match.dy < height {
            for x in max(match.x - block / 2, 0)..<min(match.x + block / 2, width) where x + match.dx >= 0 && x + match.dx < width {
                let here = first.logarithms[y * width + x]
                let there = second.logarithms[(y + match.dy) * width + x + match.dx]
                if here != HalfDepth.missing, there != HalfDepth.missing { differences.append(there - here) }
            }
        }
    }

    /// The value at index `count / 2` in ascending order; `nil` without values.
    /// - Parameter values: −2²³..<2²³.
    static func median(of values: [Int32]) -> Int32? {
        guard !values.isEmpty else { return nil }
        var rank = values.count / 2
        let high = Digit.select(values.lazy.map { Int(($0 + (1 << 23)) >> 12) }, &rank)
        let low = Digit.select(values.lazy.filter { Int(($0 + (1 << 23)) >> 12) == high }.map { Int($0 & 4095) }, &rank)
        return Int32(high << 12 | low) - (1 << 23)
    }

    private enum Digit {
        /// The 12-bit digit at a rank; what is left of the rank among those with this digit.
        static func select(_ digits: some Sequence<Int>, _ rank: inout Int) -> Int {
            var counts = [Int](repeating: 0, count: 4096)
            for digit in digits { counts[digit & 4095] += 1 }
            var digit = 0
            while digit < 4095, rank >= counts[digit] {
                rank -= counts[digit]
                digit += 1
            }
            return digit
        }
    }
}
