import ServiceRuntime

/// The parameters of a token bucket: its size and its refill rate.
struct BucketRule: Sendable, Equatable {
    let name: String
    /// The bucket's size; 0 means no limit.
    let burst: Double
    let perSecond: Double
    var isOff: Bool { burst == 0 }

    /// Seconds until so many tokens are refilled, at most 1e9 (some thirty years).
    func seconds(toRefill tokens: Double) -> Double { perSecond > 0 ? min(tokens / perSecond, 1e9) : 1e9 }
}

/// The rate limits of SPEC §2, each from an environment variable; 0 means no limit.
struct RateLimits: Sendable {
    let challenges: BucketRule
    let registrations: BucketRule
    let captures: BucketRule
    /// Per unverified device: the same rate, a smaller burst.
    let unverifiedCaptures: BucketRule
    /// For all devices of one address together.
    let capturesOfAddress: BucketRule
    let verifications: BucketRule
    /// Lookups by hash: the same limit, counted separately.
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
        // Without a limit per device there is none per address by default.
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
