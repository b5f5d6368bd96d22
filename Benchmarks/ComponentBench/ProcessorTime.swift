import Foundation

/// Measures work by the CPU time of this process, which does not depend on other processes.
enum ProcessorTime {
    /// Seconds of one run: the best of five rounds of about a fifth of a second.
    static func measure(_ body: () -> Bool) -> Double {
        precondition(body(), "the measured work fails")
        var best = Double.infinity
        for _ in 0..<5 {
            var count = 0
            let start = now()
            var used = 0.0
            repeat {
                for _ in 0..<4 where !body() { preconditionFailure("the measured work fails") }
                count += 4
                used = now() - start
            } while used < 0.2
            best = min(best, used / Double(count))
        }
        return best
    }

    private static func now() -> Double {
        // POSIX defines a million clock ticks per second.
        Double(clock()) / 1e6
    }
}
