import CaptureProtocol
import ServiceRuntime

/// The parameters of a token bucket: its size and its refill rate.
struct BucketRule: Sendable, Equatable {
    let name: String
    /// The bucket's size; 0 means no limit.
    let burst: Double
    let perSecond: Double
    var isOff: Bool { burst == 0 }

    /// Seconds until this many tokens are refilled, at most 1e9 (about thirty years).
    func seconds(toRefill tokens: Double) -> Double { perSecond > 0 ? min(tokens / perSecond, 1e9) : 1e9 }

    /// For a limit of captures: the limit of the uploads that are created for them. On a bad network, a device may begin one ten times.
    var creations: BucketRule { BucketRule(name: "\(name)-creation", burst: burst * 10, perSecond: perSecond * 10) }
}

/// The rate limits of SPEC §2, each from an environment variable; 0 means no limit.
struct RateLimits: Sendable {
    let challenges: BucketRule
    let registrations: BucketRule
    let captures: BucketRule
    /// Per unverified device: the same rate, a smaller burst.
    let unverifiedCaptures: BucketRule
    let videos: BucketRule
    /// Per unverified device: the same rate, a smaller burst.
    let unverifiedVideos: BucketRule
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
        let videos = try environment.integer("RIAL_LIMIT_VIDEOS_PER_HOUR", default: 5, in: range)
        let videoBurst = try environment.integer("RIAL_LIMIT_VIDEOS_BURST", default: 30, in: range)
        let ofAddress = try environment.integer("RIAL_LIMIT_CAPTURES_PER_ADDRESS_HOUR", default: captures == 0 ? 0 : 200, in: range)
        let verifications = try environment.integer("RIAL_LIMIT_VERIFICATIONS_PER_HOUR", default: 100, in: range)
        self.challenges = BucketRule(name: "challenge", burst: Double(challenges), perSecond: Double(challenges) / 60)
        self.registrations = BucketRule(name: "registration", burst: Double(registrations), perSecond: Double(registrations) / 60)
        func ofDevice(_ name: String, perHour: Int, burst: Int) -> BucketRule {
            BucketRule(name: name, burst: perHour == 0 ? 0 : Double(max(burst, 1)), perSecond: Double(perHour) / 3600)
        }
        self.captures = ofDevice("capture", perHour: captures, burst: burst)
        unverifiedCaptures = ofDevice("capture", perHour: captures, burst: min(burst, unverifiedBurst))
        self.videos = ofDevice("video", perHour: videos, burst: videoBurst)
        unverifiedVideos = ofDevice("video", perHour: videos, burst: min(videoBurst, unverifiedBurst))
        capturesOfAddress = BucketRule(name: "capture-address", burst: Double(ofAddress), perSecond: Double(ofAddress) / 3600)
        hashVerifications = BucketRule(
            name: "hash-verification", burst: Double(verifications), perSecond: Double(verifications) / 3600)
        self.verifications = BucketRule(name: "verification", burst: Double(verifications), perSecond: Double(verifications) / 3600)
    }

    /// The limit of one device.
    func captures(_ type: CaptureType, ofVerified isVerified: Bool) -> BucketRule {
        switch type {
        case .photo: isVerified ? captures : unverifiedCaptures
        case .video: isVerified ? videos : unverifiedVideos
        }
    }
}
