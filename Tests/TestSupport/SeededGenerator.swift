import Foundation

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): the same numbers for the same seed.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    /// The seed of a test that goes another way in every run: `RIAL_TEST_SEED` repeats one. It is printed.
    /// - Parameter what: whose chances these are.
    public static func seed(for what: String) -> UInt64 {
        let seed = ProcessInfo.processInfo.environment["RIAL_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
        print("\(what): RIAL_TEST_SEED=\(seed)")
        return seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
