import ServiceRuntime

/// A token bucket: so many tokens at most, so many more a second.
struct BucketRule: Sendable, Equatable {
    let name: String
    /// 0: no limit.
    let burst: Double
    let perSecond: Double
    var isOff: Bool { burst == 0 }

    /// How long so many tokens take to come, at most some thirty years.
    func seconds(toRefill tokens: Double) -> Double { perSecond > 0 ? min(tokens / perSecond, 1e9) : 1e9 }
}

/// The limits of SPEC §2, each from its variable; 0 is none.
struct RateLimits: Sendable {
    let challenges: BucketRule
    let registrations: BucketRule
    let captures: BucketRule
    /// Of a device that nobody vouches for: as many on average, fewer at once.
    let unverifiedCaptures: BucketRule
    /// Of all devices of one address.
    let capturesOfAddress: BucketRule
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
        let unverifiedBurst = try environment.integer("RIAL_LIMIT_CAPTURES_UNVERIFIED_BURST", default: 10, in: range)
        // Whoever lets devices send what they like has no use for a limit that their address has.
        let ofAddress = try environment.integer("RIAL_LIMIT_CAPTURES_PER_ADDRESS_HOUR", default: captures == 0 ? 0 : 200, in: range)
        let verifications = try environment.integer("RIAL_LIMIT_VERIFICATIONS_PER_HOUR", default: 100, in: range)
        self.challenges = BucketRule(name: "challenge", burst: Double(challenges), perSecond: Double(challenges) / 60)
        self.registrations = BucketRule(name: "registration", burst: Double(registrations), perSecond: Double(registrations) / 60)
        let rate = Double(captures) / 3600
        self.captures = BucketRule(name: "capture", burst: captures == 0 ? 0 : Double(max(burst, 1)), perSecond: rate)
        unverifiedCaptures = BucketRule(
            name: "capture", burst: captures == 0 ? 0 : Double(max(min(burst, unverifiedBurst), 1)), perSecond: rate)
        capturesOfAddress = BucketRule(name: "capture-address", burst: Double(ofAddress), perSecond: Double(ofAddress) / 3600)
        hashVerifications = BucketRule(
            name: "hash-verification", burst: Double(verifications), perSecond: Double(verifications) / 3600)
        self.verifications = BucketRule(name: "verification", burst: Double(verifications), perSecond: Double(verifications) / 3600)
    }

    func captures(ofVerified isVerified: Bool) -> BucketRule { isVerified ? captures : unverifiedCaptures }
}
