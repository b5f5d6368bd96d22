import CaptureProtocol
import ServiceRuntime
import Testing

@testable import Gateway

@Suite("Rate limits")
struct RateLimitsTests {
    @Test("are those of the specification unless set")
    func defaults() throws {
        let limits = try RateLimits(ServiceEnvironment([:]))
        #expect(limits.challenges == BucketRule(name: "challenge", burst: 10, perSecond: 10.0 / 60))
        #expect(limits.registrations == BucketRule(name: "registration", burst: 10, perSecond: 10.0 / 60))
        #expect(limits.captures == BucketRule(name: "capture", burst: 100, perSecond: 10.0 / 3600))
        #expect(limits.unverifiedCaptures == BucketRule(name: "capture", burst: 10, perSecond: 10.0 / 3600))
        #expect(limits.capturesOfAddress == BucketRule(name: "capture-address", burst: 200, perSecond: 200.0 / 3600))
        #expect(limits.captures(.photo, ofVerified: true) == limits.captures)
        #expect(limits.captures(.photo, ofVerified: false) == limits.unverifiedCaptures)
        #expect(limits.captures(.video, ofVerified: true) == BucketRule(name: "video", burst: 30, perSecond: 5.0 / 3600))
        #expect(limits.captures(.video, ofVerified: false) == BucketRule(name: "video", burst: 10, perSecond: 5.0 / 3600))
        #expect(limits.verifications == BucketRule(name: "verification", burst: 100, perSecond: 100.0 / 3600))
        #expect(limits.failures == BucketRule(name: "auth-failure", burst: 60, perSecond: 1))
    }

    @Test("for each capture ten uploads may be created")
    func creations() throws {
        let rule = try RateLimits(ServiceEnvironment([:])).captures(.video, ofVerified: true)
        #expect(rule.creations == BucketRule(name: "video-creation", burst: 300, perSecond: rule.perSecond * 10))
        #expect(try RateLimits(ServiceEnvironment(["RIAL_LIMIT_CAPTURES_PER_HOUR": "0"])).captures.creations.isOff)
    }

    @Test("zero means none")
    func off() throws {
        let limits = try RateLimits(
            ServiceEnvironment([
                "RIAL_LIMIT_CHALLENGES_PER_MINUTE": "0", "RIAL_LIMIT_REGISTRATIONS_PER_MINUTE": "0", "RIAL_LIMIT_CAPTURES_PER_HOUR": "0",
                "RIAL_LIMIT_VERIFICATIONS_PER_HOUR": "0",
            ]))
        #expect([limits.challenges, limits.registrations, limits.captures, limits.verifications].allSatisfy { $0.isOff })
        // The limit of an address is derived from that of its devices unless it is set.
        #expect([limits.unverifiedCaptures, limits.capturesOfAddress].allSatisfy { $0.isOff })
        let own = try RateLimits(
            ServiceEnvironment(["RIAL_LIMIT_CAPTURES_PER_HOUR": "0", "RIAL_LIMIT_CAPTURES_PER_ADDRESS_HOUR": "7"]))
        #expect(own.captures.isOff && own.capturesOfAddress.burst == 7)
    }

    @Test("an unverified device never has more than a verified one")
    func unverified() throws {
        let limits = try RateLimits(
            ServiceEnvironment(["RIAL_LIMIT_CAPTURES_BURST": "3", "RIAL_LIMIT_CAPTURES_UNVERIFIED_BURST": "50"]))
        #expect(limits.unverifiedCaptures.burst == 3)
    }

    @Test("a limit that is no number stops the start with the variable's name", arguments: ["-1", "ten", "1.5", "99999999999999999999"])
    func malformed(text: String) {
        #expect {
            try RateLimits(ServiceEnvironment(["RIAL_LIMIT_CAPTURES_BURST": text]))
        } throws: { ($0 as? SettingsError)?.variable == "RIAL_LIMIT_CAPTURES_BURST" }
    }
}
