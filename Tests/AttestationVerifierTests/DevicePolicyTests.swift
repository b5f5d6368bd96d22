import CaptureProtocol
import Foundation
import HTTPTypes
import Models
import ServiceRuntime
import Testing

@testable import Attestation
@testable import AttestationVerifier

@Suite("Which devices and bindings count")
struct DevicePolicyTests {
    static let now = Date(timeIntervalSince1970: 1_795_240_800)
    static let production = DevicePolicy(appIDs: ["T.app", "T.other"], environment: .production, acceptsDevelopmentRoots: false)

    private func device(
        _ appID: String = "T.app", _ environment: String? = "production", development: Bool = false, category: UInt32? = nil,
        version: String? = nil
    ) -> AttestedDevice {
        AttestedDevice(
            appID: appID, environment: environment, isDevelopmentRoot: development, validationCategory: category, bundleVersion: version)
    }

    @Test("a device of this installation counts, with every binding")
    func accepted() {
        for binding in [AssertionBinding.photoDepthMetadata, .photoDepth, .photo] {
            #expect(Self.production.refusal(of: device(), binding: binding, receivedAt: Self.now) == nil)
        }
        #expect(Self.production.refusal(of: device("T.other"), binding: .photo, receivedAt: Self.now) == nil)
    }

    @Test("an app id that was taken out, letters in another case included, does not", arguments: ["T.gone", "t.app", "T.app.clip", ""])
    func app(id: String) {
        #expect(Self.production.refusal(of: device(id), binding: .photoDepthMetadata, receivedAt: Self.now) == .appNotAccepted)
    }

    @Test("another environment, or none, does not", arguments: ["development", nil, "Production"])
    func environment(name: String?) {
        let refusal = Self.production.refusal(of: device("T.app", name), binding: .photoDepthMetadata, receivedAt: Self.now)
        #expect(refusal == .environmentMismatch)
    }

    @Test("a development root counts in development mode only")
    func root() {
        let own = device(development: true)
        #expect(Self.production.refusal(of: own, binding: .photoDepthMetadata, receivedAt: Self.now) == .developmentDevice)
        let lenient = DevicePolicy(appIDs: ["T.app"], environment: .production, acceptsDevelopmentRoots: true)
        #expect(lenient.refusal(of: own, binding: .photoDepthMetadata, receivedAt: Self.now) == nil)
    }

    @Test("what the app is, where a system says it, is compared with the lists; where none says it, it counts")
    func extensions() {
        var policy = Self.production
        policy.validationCategories = [4]
        policy.bundleVersions = ["12", "13"]
        func refusal(_ category: UInt32?, _ version: String?) -> HardwareReason? {
            policy.refusal(of: device(category: category, version: version), binding: .photoDepthMetadata, receivedAt: Self.now)
        }
        #expect(refusal(nil, nil) == nil && refusal(4, "12") == nil && refusal(4, nil) == nil && refusal(nil, "13") == nil)
        #expect(refusal(2, "12") == .distributionNotAccepted && refusal(0, nil) == .distributionNotAccepted)
        #expect(refusal(4, "11") == .appVersionNotAccepted && refusal(nil, "") == .appVersionNotAccepted)
        let open = Self.production.refusal(
            of: device(category: 3, version: "0"), binding: .photoDepthMetadata, receivedAt: Self.now)
        #expect(open == nil, "without lists nothing is compared")
    }

    @Test("legacy bindings count until their end, by when the capture was received", arguments: [AssertionBinding.photoDepth, .photo])
    func retired(binding: AssertionBinding) {
        var policy = Self.production
        policy.legacyBindingsUntil = Self.now
        #expect(policy.refusal(of: device(), binding: binding, receivedAt: Self.now.addingTimeInterval(-0.001)) == nil)
        #expect(policy.refusal(of: device(), binding: binding, receivedAt: Self.now) == .bindingRetired)
        #expect(policy.refusal(of: device(), binding: .photoDepthMetadata, receivedAt: .distantFuture) == nil)
    }

    @Test("what the assertion says of the app is newer than what the registration said")
    func newer() {
        let known = RegisteredDevice(
            level: .secureEnclave, isRevoked: false, publicKey: [4], appID: "T.app", environment: "production", isDevelopmentRoot: false,
            validationCategory: 4, bundleVersion: "11")
        let old = known.attested(appID: "T.app", AttestationExtensions())
        #expect(old.validationCategory == 4 && old.bundleVersion == "11")
        let new = known.attested(appID: "T.app", AttestationExtensions(validationCategory: 2, bundleVersion: "12\0"))
        #expect(new.validationCategory == 2 && new.bundleVersion == "12")
    }

    @Test("a bundle version is kept in a form that a database can hold")
    func storable() {
        #expect(BundleVersion.storable("1.2.3 (45)") == "1.2.3 (45)" && BundleVersion.storable("a\0b\u{202E}é\n") == "ab")
        #expect(BundleVersion.storable(String(repeating: "9", count: 5000)).count == 64)
    }
}

@Suite("Settings of the device policy")
struct DevicePolicySettingsTests {
    private func policy(_ variables: [String: String], mode: RunMode = .production) throws -> DevicePolicy {
        try DevicePolicy(ServiceEnvironment(variables), appIDs: ["T.app"], attestEnvironment: .production, mode: mode)
    }

    @Test("nothing set checks nothing more; the mode decides on development roots")
    func defaults() throws {
        let policy = try policy([:])
        #expect(policy.validationCategories.isEmpty && policy.bundleVersions.isEmpty && policy.legacyBindingsUntil == nil)
        #expect(!policy.acceptsDevelopmentRoots)
        #expect(try self.policy([:], mode: .development).acceptsDevelopmentRoots)
    }

    @Test("lists are separated by commas")
    func lists() throws {
        let policy = try policy(["RIAL_APP_VALIDATION_CATEGORIES": "2, 4", "RIAL_APP_BUNDLE_VERSIONS": "1.0 ,1.1"])
        #expect(policy.validationCategories == [2, 4] && policy.bundleVersions == ["1.0", "1.1"])
    }

    @Test(
        "legacy bindings end at a moment, or with a day",
        arguments: [
            ("2026-11-21T06:00:00Z", 1_795_240_800.0), ("2026-11-21T07:00:00+01:00", 1_795_240_800), ("2026-11-20", 1_795_219_200),
        ])
    func end(text: String, seconds: Double) throws {
        #expect(try policy(["RIAL_LEGACY_BINDINGS_UNTIL": text]).legacyBindingsUntil?.timeIntervalSince1970 == seconds)
    }

    @Test(
        "whatever is wrong stops the start with its name",
        arguments: [
            ("RIAL_LEGACY_BINDINGS_UNTIL", "tomorrow"), ("RIAL_LEGACY_BINDINGS_UNTIL", "2026-02-30"),
            ("RIAL_LEGACY_BINDINGS_UNTIL", "2026-11-20T06"), ("RIAL_APP_VALIDATION_CATEGORIES", "4,App Store"),
            ("RIAL_APP_VALIDATION_CATEGORIES", "-1"), ("RIAL_APP_BUNDLE_VERSIONS", ","),
        ])
    func wrong(name: String, value: String) {
        let error = #expect(throws: SettingsError.self) { try policy([name: value]) }
        #expect(error?.variable == name)
    }
}

@Suite("Setting of the operator's token")
struct AdminTokenTests {
    @Test("without one the routes are off; with one it lets in")
    func sound() throws {
        #expect(try Settings.authorization(ServiceEnvironment([:])).refusal([:]) == .tokenNotSet)
        let guardian = try Settings.authorization(ServiceEnvironment(["RIAL_ADMIN_TOKEN": "0123456789abcdef"]))
        #expect(guardian.refusal([.authorization: "Bearer 0123456789abcdef"]) == nil && guardian.refusal([:]) == .unauthorized)
    }

    @Test("one that is short or that no header carries stops the start", arguments: ["short", "0123456789 abcdef", "0123456789abcdé€"])
    func unfit(token: String) {
        let error = #expect(throws: SettingsError.self) { try Settings.authorization(ServiceEnvironment(["RIAL_ADMIN_TOKEN": token])) }
        #expect(error?.variable == "RIAL_ADMIN_TOKEN")
    }
}

@Suite("What an operator says with a change")
struct OperatorNoteTests {
    @Test("nothing is said, or who and why")
    func sound() {
        #expect(OperatorNote([])?.by == "admin-port")
        let note = OperatorNote(Array(#"{"by": "rial-cli", "reason": "stolen · robado"}"#.utf8))
        #expect(note?.by == "rial-cli" && note?.reason == "stolen · robado")
        #expect(note?.since == nil)
        let since = OperatorNote(Array(#"{"since": "2026-11-01T12:00:00.5Z"}"#.utf8))?.since
        #expect(since == Date(timeIntervalSince1970: 1_793_534_400.5))
        #expect(OperatorNote(Array(#"{"by": "", "reason": ""}"#.utf8)) == OperatorNote([]))
    }

    @Test(
        "anything else is refused",
        arguments: [
            "{", "[]", "1", #"{"by": 1}"#, #"{"reason": "a\u0000b"}"#, #"{"by": "a\nb"}"#, #"{"since": "yesterday"}"#,
            #"{"since": 1793534400}"#, #"{"since": "2026-11-01"}"#,
            #"{"reason": ""# + String(repeating: "x", count: 501) + #""}"#, String(repeating: " ", count: 5000),
        ])
    func refused(text: String) { #expect(OperatorNote(Array(text.utf8)) == nil) }
}
