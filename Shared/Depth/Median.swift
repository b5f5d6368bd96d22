/// One of many values by its place, in time that grows with their count alone, however they are arranged.
enum Median {
    /// The value at place `count / 2` in ascending order; `nil` of nothing.
    /// - Parameter values: not negative and not NaN, so that their bit patterns are in the order of their values.
    static func upper(of values: [Double]) -> Double? { value(at: values.count / 2, of: values) }

    /// The value at a place in ascending order; `nil` if there are not so many.
    /// - Parameter values: not negative and not NaN, so that their bit patterns are in the order of their values.
    static func value(at place: Int, of values: [Double]) -> Double? {
        guard values.indices.contains(place) else { return nil }
        var candidates = values.map(\.bitPattern)
        var rank = place
        // Radix selection from the highest digit, 11 bits at a time.
        for shift in stride(from: 55, through: 0, by: -11) where candidates.count > 1 {
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
