import CaptureKit
import Testing

@Suite("Waits between attempts")
struct BackoffTests {
    /// SplitMix64: the same numbers for the same seed.
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    private static func wait(_ attempt: Int, retryAfter: Duration? = nil, seed: UInt64 = 1) -> UploadBackoff {
        var generator = Seeded(state: seed)
        return UploadBackoff(after: attempt, retryAfter: retryAfter, using: &generator)
    }

    @Test("are 1, 2, 4, 8, 16 seconds, then five minutes", arguments: zip(1...8, [1.0, 2, 4, 8, 16, 300, 300, 300]))
    func doubles(attempt: Int, seconds: Double) {
        let factors = (0..<200).map { Self.wait(attempt, seed: $0).delay / .seconds(seconds) }
        #expect(factors.allSatisfy { (0.799...1.201).contains($0) })
        // They are spread over the whole range.
        #expect(factors.contains { $0 < 0.85 } && factors.contains { $0 > 1.15 })
        #expect(Self.wait(attempt).endsEarly)
        #expect(Self.wait(attempt) == Self.wait(attempt))
    }

    @Test("end early by a network or a person, unless the server asked for them")
    func retryAfter() {
        let asked = Self.wait(1, retryAfter: .seconds(90))
        #expect(asked.delay == .seconds(90))
        #expect(!asked.endsEarly)
        let shorter = Self.wait(6, retryAfter: .seconds(90))
        #expect(shorter == Self.wait(6))
    }

    @Test("exist for any number of attempts", arguments: [Int.min, -1, 0, Int.max])
    func extremes(attempt: Int) {
        #expect(Self.wait(attempt).delay > .zero)
    }
}
