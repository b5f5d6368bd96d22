import Testing

@testable import Blocking

@Suite("Backoff")
struct BackoffTests {
    /// The multiplicative congruential generator of Lehmer and L'Ecuyer (Mathematics of Computation 68, 1999).
    private struct Chances: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 2_862_933_555_777_941_757 &+ 3_037_000_493
            return state
        }
    }

    @Test("waits for a random part of a span that doubles up to the limit", arguments: [0.25, 0.5, 1])
    func spans(jitter: Double) {
        for seed in UInt64(0)..<20 {
            var (backoff, chances) = (Backoff(initial: 1, limit: 4, jitter: jitter), Chances(state: seed))
            for span in [1, 2, 4, 4, 4] as [Double] {
                let wait = backoff.next(using: &chances)
                #expect(wait >= .seconds(span * (1 - jitter)) && wait <= .seconds(span))
            }
        }
    }

    @Test("waits for the whole span without jitter, and begins small again when it is reset")
    func exact() {
        var backoff = Backoff(initial: 5, limit: 60, jitter: 0)
        let spans: [Duration] = [.seconds(5), .seconds(10), .seconds(20), .seconds(40), .seconds(60), .seconds(60)]
        for span in spans { #expect(backoff.next() == span) }
        backoff.reset()
        #expect(backoff.next() == .seconds(5))
        #expect(Backoff(initial: 10, limit: 7, jitter: 0).wait(after: 0) == .seconds(7), "the limit holds from the start")
    }

    @Test("takes chance from the generator that it is given")
    func chance() {
        func waits(seed: UInt64) -> [Duration] {
            var (backoff, chances) = (Backoff(), Chances(state: seed))
            return (0..<10).map { _ in backoff.next(using: &chances) }
        }
        #expect(waits(seed: 1) == waits(seed: 1))
        #expect(waits(seed: 1) != waits(seed: 2))
    }

    @Test("stays at the limit however many waits there were", arguments: [50, 5000])
    func endless(waits: Int) {
        #expect(Backoff(initial: 0.1, limit: 5, jitter: 0).wait(after: waits) == .seconds(5))
    }
}
