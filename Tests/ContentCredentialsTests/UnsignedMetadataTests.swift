import Blocking
import CaptureProtocol
import Foundation
import Models
import Testing

@testable import ContentCredentials

@Suite("Content Credentials without a hardware signature over the metadata")
struct UnsignedMetadataTests {
    private func evidence(_ binding: AssertionBinding, time: MetadataCheck<TimestampReason> = MetadataCheck(.pass)) -> EvidencePackage {
        var evidence = Fixture.evidence()
        evidence.hardwareAttestation.binding = binding
        evidence.metadata.timestamp = time
        return evidence
    }

    private func definition(_ evidence: EvidencePackage) throws -> String { try Fixture().claim(evidence).definition() }

    @Test("contain no time, no place and no model", arguments: [AssertionBinding.photo, .photoDepth])
    func legacy(binding: AssertionBinding) throws {
        let text = try definition(evidence(binding))
        for word in ["when", "iPhone", "device_model", "metadata.timestamp", "metadata.model", "metadata.location", "2026"] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(text.contains("\"binding\":\"\(binding.rawValue)\"") && text.contains("metadata.resolution"))
        #expect(text.contains("c2pa.created") && text.contains("digitalCapture"))
    }

    @Test(
        "say when only where the time check passed",
        arguments: [
            MetadataCheck(.unavailable, reason: .noEXIFTime), MetadataCheck(.unavailable, reason: .uploadedLate),
            MetadataCheck(.fail, reason: .afterReceipt),
        ] as [MetadataCheck<TimestampReason>])
    func time(check: MetadataCheck<TimestampReason>) throws {
        let text = try definition(evidence(.photoDepthMetadata, time: check))
        #expect(!text.contains("\"when\"") && text.contains("\"device_model\":\"iPhone 15 Pro\""))
        #expect(try definition(evidence(.photoDepthMetadata)).contains("\"when\":\"\(Timestamp.format(Fixture.capturedAt))\""))
    }

    @Test("are valid without a time, and match their schemas")
    func sound() throws {
        let fixture = try Fixture()
        let writer = try CredentialWriter(signer: fixture.signer, timestampAuthority: nil)
        let copy = try writer.sign(fixture.claim(evidence(.photo)), photo: fixture.photo).bytes
        let report = try fixture.read(copy)
        #expect(report.state == .trusted, "\(report.validationCodes)")
        #expect(copy.offset(ofLast: "iPhone 15 Pro") == nil && copy.offset(ofLast: Timestamp.format(Fixture.capturedAt)) == nil)
    }
}
