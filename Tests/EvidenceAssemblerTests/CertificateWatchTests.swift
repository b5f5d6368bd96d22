import CoreMetrics
import Foundation
import InMemoryLogging
import Logging
import MetricsTestKit
import ServiceRuntime
import Signing
import Testing

@testable import EvidenceAssembler

@Suite("The watch over the signer's certificates and its key")
struct CertificateWatchTests {
    private static let day: TimeInterval = 86_400
    private static let start = Date(timeIntervalSince1970: 1_795_240_800)
    private let metrics = TestMetrics()
    private let logs = InMemoryLogHandler()

    private func watch(validDays: Double = 365, isKeyInFile: Bool = false, mode: RunMode = .production) throws -> CertificateWatch {
        let identity = try DevelopmentAuthority.make(
            algorithm: .ed25519, leafValidity: DateInterval(start: Self.start, duration: validDays * Self.day), now: Self.start)
        return CertificateWatch(
            certificate: try SigningCertificate(pem: identity.chainPEM), isKeyInFile: isKeyInFile, mode: mode,
            logger: Logger(label: "tests") { _ in logs })
    }

    private func look(_ watch: CertificateWatch, at now: Date) {
        withMetricsFactory(metrics) { watch.look(at: now) }
    }

    private func meter(_ label: String) throws -> Double? { try metrics.expectMeter(label).lastValue }

    @Test("is silent while the certificate is valid for thirty days or more", arguments: [364.0, 31.0, 30.0])
    func silent(days: Double) throws {
        let watch = try watch()
        look(watch, at: Self.start.addingTimeInterval((365 - days) * Self.day))
        #expect(try meter("rial_signing_certificate_days_left") == days)
        #expect(try meter("rial_signing_certificate_expires_soon") == 0)
        #expect(logs.entries.isEmpty)
    }

    /// Days left, and as they are logged.
    private static let late: [(Double, String)] = [(29.5, "29"), (29, "29"), (0.5, "0"), (-0.5, "-1"), (-40, "-40")]

    @Test("warns when less than thirty days are left, and still once the certificate has expired", arguments: late)
    func warns(days: Double, logged: String) throws {
        let watch = try watch()
        look(watch, at: Self.start.addingTimeInterval((365 - days) * Self.day))
        #expect(try meter("rial_signing_certificate_days_left") == days)
        #expect(try meter("rial_signing_certificate_expires_soon") == 1)
        let metadata: Logger.Metadata = [
            "not_valid_after": "\(Self.start.addingTimeInterval(365 * Self.day))", "days_left": "\(logged)",
        ]
        #expect(logs.entries.map(\.level) == [.warning])
        #expect(logs.entries.map(\.metadata) == [metadata])
    }

    @Test("counts the days of the issuer's certificate where that expires first")
    func issuer() throws {
        // The development authority's own certificates are valid for 1,825 days.
        let watch = try watch(validDays: 3_000)
        look(watch, at: Self.start.addingTimeInterval(1_800 * Self.day))
        #expect(try meter("rial_signing_certificate_days_left") == 25)
        #expect(try meter("rial_signing_certificate_expires_soon") == 1)
    }

    @Test("says in a metric whether the key is in a file, in every mode", arguments: [true, false], RunMode.allCases)
    func key(isInFile: Bool, mode: RunMode) throws {
        let watch = try watch(isKeyInFile: isInFile, mode: mode)
        look(watch, at: Self.start)
        #expect(try meter("rial_signing_key_in_file") == (isInFile ? 1.0 : 0.0))
        #expect(logs.entries.isEmpty)
    }

    @Test("warns at start of a key in a file in production mode")
    func keyInFile() throws {
        try watch(isKeyInFile: true).warnOfKey()
        #expect(logs.entries.map(\.level) == [.warning])
        #expect(logs.entries.allSatisfy { $0.message.description.contains("the signing key is in a file") })
    }

    private static let fitting: [(Bool, RunMode)] = [(true, .development), (false, .production), (false, .development)]

    @Test("does not warn of a key in a token, nor of one in a file in development", arguments: fitting)
    func fittingKey(isInFile: Bool, mode: RunMode) throws {
        try watch(isKeyInFile: isInFile, mode: mode).warnOfKey()
        #expect(logs.entries.isEmpty)
    }
}
