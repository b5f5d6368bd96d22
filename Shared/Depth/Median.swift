/// Selects a value by its rank, in linear time for any order of the values.
enum Median {
    /// The value at index `count / 2` in ascending order; `nil` without values.
    /// - Parameter values: not negative and not NaN, so that their bit patterns sort like the values.
    static func upper(of values: [Double]) -> Double? { value(at: values.count / 2, of: values) }

    /// The value at an index in ascending order; `nil` if there are not that many.
    /// - Parameter values: not negative and not NaN, so that their bit patterns sort like the values.
    static func value(at place: Int, of values: [Double]) -> Double? {
        guard values.indices.contains(place) else { return nil }
        var candidates = values.map(\.bitPattern)
        var rank = place
        // Radix selection from the highest digit, 11 bits at a time.
        let varying = candidates.reduce(0) { $0 | ($1 ^ candidates[0]) }
        for shift in stride(from: 55, through: 0, by: -11) where candidates.count > 1 && varying >> UInt64(shift) & 2047 > 0 {
            var counts = [Int](repeating: 0, count: 2048)
            for bits in candidates { counts[Int(bits >> UInt64(shift) & 2047)] += 1 }
            var digit = 0
            while rank >= counts[digit] {
                rank -= counts[digit]
                digit += 1
            }
            candidates = candidates.filter { Int($0 >> UInt64(shift) & 2047) == digit }
        }
        return candidates.first.map(Double.init(bitPattern:))
    }
}
