import Pipeline

/// A token bucket: so many tokens at most, so many more a second.
struct BucketRule: Sendable, Equatable {
    let name: String
    /// 0: no limit.
    let burst: Double
    let perSecond: Double
    var isOff: Bool { burst == 0 }
}

/// The limits of SPEC §2, each from its variable; 0 is none.
struct RateLimits: Sendable {
    let challenges: BucketRule
    let registrations: BucketRule
    let captures: BucketRule
    let verifications: BucketRule
    /// Look-ups by hash: as many again.
    let hashVerifications: BucketRule
    /// Failed authentication, per address.
    let failures = BucketRule(name: "auth-failure", burst: 60, perSecond: 1)

    init(_ environment: ServiceEnvironment) throws {
        let range = 0...10_000_000
        let challenges = try environment.integer("RIAL_LIMIT_CHALLENGES_PER_MINUTE", default: 10, in: range)
        let registrations = try environment.integer("RIAL_LIMIT_REGISTRATIONS_PER_MINUTE", default: 10, in: range)
        let captures = try environment.integer("RIAL_LIMIT_CAPTURES_PER_HOUR", default: 10, in: range)
        let burst = try environment.integer("RIAL_LIMIT_CAPTURES_BURST", default: 100, in: range)
        let verifications = try environment.integer("RIAL_LIMIT_VERIFICATIONS_PER_HOUR", default: 100, in: range)
        self.challenges = BucketRule(name: "challenge", burst: Double(challenges), perSecond: Double(challenges) / 60)
        self.registrations = BucketRule(name: "registration", burst: Double(registrations), perSecond: Double(registrations) / 60)
        self.captures = BucketRule(name: "capture", burst: captures == 0 ? 0 : Double(max(burst, 1)), perSecond: Double(captures) / 3600)
        hashVerifications = BucketRule(
            name: "hash-verification", burst: Double(verifications), perSecond: Double(verifications) / 3600)
        self.verifications = BucketRule(name: "verification", burst: Double(verifications), perSecond: Double(verifications) / 3600)
    }
}
