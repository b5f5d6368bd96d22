/// Depths as small integers in ascending order: the upper bits of a Float32, which are all that the half precision of the sensor has. 0 is
/// no measurement.
enum DepthCode {
    private static let shift: UInt32 = 13
    private static let first = Float(0.1).bitPattern >> shift
    static let count = Int((Float(20).bitPattern >> shift) - first) + 2

    static func code(of metres: Float) -> UInt16 {
        guard DepthMap.isValid(Double(metres)) else { return 0 }
        return UInt16(truncatingIfNeeded: (metres.bitPattern >> shift) &- first &+ 1)
    }

    /// - Parameter code: from 1.
    static func metres(of code: UInt16) -> Double {
        // The first code begins below the least valid depth.
        max(Double(ends(of: code).first), 0.1)
    }

    /// The least and the greatest number that has a code; those of the first and the last code may not be valid depths.
    /// - Parameter code: from 1.
    static func ends(of code: UInt16) -> (first: Float, last: Float) {
        let bits = (UInt32(code) &- 1 &+ first) << shift
        let lowerBits = (UInt32(1) << shift) &- 1
        return (Float(bitPattern: bits), Float(bitPattern: bits | lowerBits))
    }

    /// Finds a measurement by its index in ascending order.
    /// - Parameter counts: how many depths have each code.
    /// - Returns: its code, and its index among the depths that have it; `nil` if there are not that many.
    static func find(_ place: Int, in counts: [Int]) -> (code: Int, place: Int)? {
        var rest = place
        for code in counts.indices.dropFirst() {
            if rest < counts[code] { return (code, rest) }
            rest -= counts[code]
        }
        return nil
    }
}
