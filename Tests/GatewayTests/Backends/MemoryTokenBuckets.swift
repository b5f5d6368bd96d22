import Synchronization

@testable import Gateway

/// Token buckets in memory. Time stands still for them but for ``age(by:)``.
final class MemoryTokenBuckets: TokenBuckets {
    private struct Bucket {
        /// When it was used last.
        let tokens: Double
        /// Seconds since then; negative if the clock went back.
        var age = 0.0
        /// From when it was used last.
        let secondsToFull: Double

        /// It lies in the clock's future.
        var isAhead: Bool { age < -60 }
        var secondsLeft: Double { secondsToFull - age }
        func tokens(by rule: BucketRule) -> Double { isAhead ? rule.burst : min(rule.burst, tokens + rule.perSecond * max(0, age)) }
    }

    private struct State {
        var buckets: [String: Bucket] = [:]
        var maximum = 1_000_000
    }

    private let state = Mutex(State())

    var names: Set<String> { state.withLock { Set($0.buckets.keys) } }
    func allow(rows: Int) { state.withLock { $0.maximum = rows } }
    func age(by seconds: Double) { state.withLock { state in for name in state.buckets.keys { state.buckets[name]?.age += seconds } } }

    func debit(_ rule: BucketRule, _ subject: String) async throws -> RateAllowance? {
        guard !rule.isOff else { return nil }
        return try state.withLock { state in
            let tokens = state.buckets[Self.name(rule, subject)]?.tokens(by: rule) ?? rule.burst
            guard tokens >= 1 else { throw RateLimitExceeded(rule, tokens: tokens) }
            state.buckets[Self.name(rule, subject)] = Bucket(
                tokens: tokens - 1, secondsToFull: rule.seconds(toRefill: 1) * (1 + rule.burst - tokens))
            return RateAllowance(rule, tokens: tokens - 1)
        }
    }

    func peek(_ rule: BucketRule, _ subject: String) async throws {
        guard !rule.isOff else { return }
        let tokens = state.withLock { $0.buckets[Self.name(rule, subject)]?.tokens(by: rule) ?? rule.burst }
        if tokens < 1 { throw RateLimitExceeded(rule, tokens: tokens) }
    }

    func sweep() async throws {
        state.withLock { state in
            state.buckets = state.buckets.filter { $0.value.secondsLeft >= 0 && !$0.value.isAhead }
            let soonest = state.buckets.sorted { $0.value.secondsLeft < $1.value.secondsLeft }
            for (name, _) in soonest.prefix(max(0, soonest.count - state.maximum)) { state.buckets[name] = nil }
        }
    }

    private static func name(_ rule: BucketRule, _ subject: String) -> String { "\(rule.name):\(subject)" }
}
