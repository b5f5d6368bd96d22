import ServiceRuntime

/// The circuit breakers of what signing depends on. Issuers of one signer share them: what one finds out spares the others, and each
/// dependency has one state.
struct SigningCircuits: Sendable {
    let signer: CircuitBreaker
    let timestamps: CircuitBreaker

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        signer = CircuitBreaker(dependency: "signer", pause: .seconds(5), longestPause: .seconds(20), now: now)
        timestamps = CircuitBreaker(dependency: "timestamp_authority", pause: .seconds(5), longestPause: .seconds(60), now: now)
    }
}
