/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): the same seed yields the same numbers on all machines.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// Uniform in `range`.
    mutating func number(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * Self.unit(next())
    }

    /// −1 or 1.
    mutating func sign() -> Double { next() & 1 == 0 ? -1 : 1 }

    /// One of the colours 0xRRGGBB, as 0...1.
    mutating func colour(of choices: [UInt32]) -> Vector3 {
        choices.isEmpty ? Vector3(0.5, 0.5, 0.5) : Vector3(rgb: choices[Int(next() % UInt64(choices.count))])
    }

    /// A number in 0..<1 that depends only on the three arguments.
    static func hash(_ a: Int, _ b: Int, seed: UInt64) -> Double {
        unit(
            mix(
                seed &+ UInt64(bitPattern: Int64(a)) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: Int64(b))
                    &* 0xD1B5_4A32_D192_ED03))
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    private static func unit(_ bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-53 }
}
