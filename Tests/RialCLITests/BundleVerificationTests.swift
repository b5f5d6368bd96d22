import ArgumentParser
import Foundation
import ServiceRuntime
import Testing
import TransparencyLog

@testable import RialCLI

@Suite("Verifying a bundle from the command line")
struct BundleVerificationTests {
    @Test(
        "a setting that contradicts another ends with 2: 1 says that the bundle is wrong",
        arguments: ["RIAL_C2PA_TRUST_ANCHORS", "RIAL_C2PA_OWN_ANCHORS", "RIAL_C2PA_TIMESTAMP_ANCHORS"])
    func contradictingSettings(name: String) async throws {
        let log = try PublishedLog()
        defer { log.remove() }
        let policy = log.path("policy")
        try Data("log \(log.key.verifier)\nquorum none\n".utf8).write(to: policy)
        let command = try VerifyCommand.parse(["--bundle", "unread.rial", "--policy", policy.path])
        let environment = ServiceEnvironment([name: "a.pem", "\(name)_FILE": "b"])
        #expect(throws: SettingsError.self) { try command.credentialReader(environment) }
        let verification = BundleVerification(command, bundle: "unread.rial", environment: environment)
        await #expect(throws: ExitCode(2)) { try await verification.run() }
    }
}
