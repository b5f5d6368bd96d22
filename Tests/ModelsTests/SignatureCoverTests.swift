import CaptureProtocol
import Foundation
import TestSupport
import Testing

@testable import Models

@Suite("What the signature covers")
struct SignatureCoverTests {
    private func evidence(_ status: CheckStatus, _ binding: AssertionBinding?) -> EvidencePackage {
        var package = Samples.Evidence().package
        package.hardwareAttestation = HardwareAttestationEvidence(
            AttestationFindings(
                .sample(status, binding: binding), level: .secureEnclave, environment: "production", isDevelopmentAttestation: false,
                deviceModel: "iPhone 15 Pro"))
        return package
    }

    private func chain(_ isIntact: Bool?, checkpoints: [CheckpointEvidence] = []) -> HashChainEvidence {
        HashChainEvidence(
            status: isIntact == true ? .inconclusive : .fail, reason: nil, version: 2, isIntact: isIntact, isAttested: true,
            verifiedFrames: 0, totalFrames: 360, verifiedMilliseconds: 0, durationMilliseconds: 12_000, breakAtFrame: nil,
            checkpoints: checkpoints)
    }

    /// As readers get it.
    private func stated(_ evidence: EvidencePackage) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(try WireJSON.encode(evidence)))
        let object = try #require(json as? [String: Any])
        return try #require(object["hardware_attestation"] as? [String: Any])
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
        let object = try stated(evidence)
        #expect(object["signature_covers"] as? [String] == parts)
        #expect(object["binding"] is NSNull == (binding == nil) && object["status"] as? String == status.rawValue)
        #expect(evidence.coversMetadata == parts.contains("metadata") && evidence.coversDepth == parts.contains("depth"))
        #expect(
            try WireJSON.decode(EvidencePackage.self, from: try WireJSON.encode(evidence)) == evidence,
            "it follows from the rest, also where it is missing")
    }

    @Test(
        "is time, place and model for a checkpoint only where the chain is intact, whatever was stored",
        arguments: [(true, ["metadata"]), (false, []), (nil, [])] as [(Bool?, [String])])
    func checkpoint(isIntact: Bool?, parts: [String]) throws {
        var evidence = evidence(.pass, .checkpoint)
        evidence.hashChain = chain(isIntact)
        let stored = String(decoding: try WireJSON.encode(evidence), as: UTF8.self)
            .replacing(#""signature_covers":[]"#, with: #""signature_covers":["metadata"]"#)
        let read = try WireJSON.decode(EvidencePackage.self, from: Array(stored.utf8))
        #expect(read == evidence && read.coversMetadata == parts.contains("metadata") && !read.coversDepth)
        #expect(try stated(read)["signature_covers"] as? [String] == parts)
    }

    @Test(
        "is no checkpoint unless the chain is intact, whatever was stored",
        arguments: [(true, 0), (false, nil), (nil, nil)] as [(Bool?, Int?)])
    func signedCheckpoint(isIntact: Bool?, index: Int?) {
        let checkpoint = CheckpointEvidence(index: 0, frames: 150, timeMilliseconds: 5000, isSigned: true)
        let chain = chain(isIntact, checkpoints: [checkpoint])
        #expect(chain.isSigned(checkpoint) == (index != nil))
        #expect(PartialAttestationEvidence(chain).checkpointIndex == index)
    }
}
