import Foundation
import TestSupport
import Testing

@testable import Attestation

@Suite("Appraisals that are repeated years later", .enabled(if: SharedData.isPresent, "needs ../shared/data/appattest"))
struct RepeatedAppraisalTests {
    @Test("every genuine attestation holds again without its app, key identifier and time, and gives the same key")
    func attestations() throws {
        for vector in try Vectors.load().attestations {
            let repeated = RepeatedAppraisal(roots: try roots(vector.trustAnchor))
            let key = try repeated.key(attestedBy: Array(vector.attestationObject), clientDataHash: Array(vector.clientDataHash))
            #expect(key.publicKeyX963 == Array(vector.expected.publicKeyX963), "\(vector.id)")
            #expect(key.environment.rawValue == vector.environment, "\(vector.id)")
        }
    }

    @Test("another client data hash, another root and a changed byte are refused")
    func refused() throws {
        let vector = try #require(try Vectors.load().attestations.first)
        let repeated = RepeatedAppraisal(roots: try roots(vector.trustAnchor))
        let object = Array(vector.attestationObject)
        let hash = Array(vector.clientDataHash)
        #expect(throws: AttestationFailure.nonceMismatch) { try repeated.key(attestedBy: object, clientDataHash: hash.reversed()) }
        #expect(throws: AttestationFailure.certificateChain) {
            try RepeatedAppraisal(roots: TrustRoots(roots: [])).key(attestedBy: object, clientDataHash: hash)
        }
        // The last bytes are authenticator data, which the nonce covers.
        var changed = object
        changed[changed.count - 1] ^= 1
        #expect(throws: AttestationFailure.self) { try repeated.key(attestedBy: changed, clientDataHash: hash) }
    }
}
