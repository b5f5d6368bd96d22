import CaptureProtocol
import Models
import ShareCard
import TestSupport
import Testing

@testable import EvidenceAssembler

@Suite("Content of share cards")
struct ShareCardContentTests {
    @Test(
        "coordinates that are not on Earth are told from a location that was not given",
        arguments: [(CheckStatus.fail, LocationReason.notOnEarth), (.unavailable, .notProvided)])
    func falsePlace(status: CheckStatus, reason: LocationReason) {
        let attestation = AttestationFindings(
            .sample(.pass), level: .secureEnclave, environment: "production", isDevelopmentAttestation: false,
            deviceModel: "iPhone 15 Pro")
        let content = ShareCardContent(
            Samples.Evidence(location: MetadataCheck(status, reason: reason)).package, .suspicious, attestation,
            capturedAt: .exact(Samples.captured), mediaHash: Samples.digest)
        #expect(content.placeName == nil && content.hasFalsePlace == (status == .fail))
    }
}
