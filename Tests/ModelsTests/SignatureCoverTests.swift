import CaptureProtocol
import Foundation
import TestSupport
import Testing

@testable import Models

@Suite("What the signature covers")
struct SignatureCoverTests {
    private func evidence(_ status: CheckStatus, _ binding: AssertionBinding?) -> HardwareAttestationEvidence {
        HardwareAttestationEvidence(
            AttestationFindings(
                .sample(status, binding: binding), level: .secureEnclave, environment: "production", isDevelopmentAttestation: false,
                deviceModel: "iPhone 15 Pro"))
    }

    @Test(
        "is said by name, and is nothing unless the check passed",
        arguments: [
            (.pass, .photoDepthMetadata, ["photo", "depth", "metadata"]), (.pass, .photoDepth, ["photo", "depth"]),
            (.pass, .photo, ["photo"]),
            (.unavailable, .photoDepthMetadata, []), (.fail, nil, []), (.unavailable, nil, []),
        ] as [(CheckStatus, AssertionBinding?, [String])])
    func covers(status: CheckStatus, binding: AssertionBinding?, parts: [String]) throws {
        let evidence = evidence(status, binding)
        let json = try WireJSON.encode(evidence)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        #expect(object["signature_covers"] as? [String] == parts)
        #expect(object["binding"] is NSNull == (binding == nil) && object["status"] as? String == status.rawValue)
        #expect(evidence.coversMetadata == parts.contains("metadata") && evidence.coversDepth == parts.contains("depth"))
        #expect(
            try WireJSON.decode(HardwareAttestationEvidence.self, from: json) == evidence,
            "it follows from the rest, also where it is missing")
    }
}
