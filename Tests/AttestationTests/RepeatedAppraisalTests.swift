import Foundation
import SimulatedDevice
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

@Suite("Appraisals of a simulated device that are repeated years later")
struct RepeatedSimulationTests {
    private let clientDataHash = [UInt8](repeating: 7, count: 32)
    private let authority: DevelopmentAttestationAuthority
    private let repeated: RepeatedAppraisal

    init() throws {
        authority = try DevelopmentAttestationAuthority()
        repeated = RepeatedAppraisal(roots: try TrustRoots.apple.adding(pem: authority.rootPEM))
    }

    private func key(of device: SimulatedDevice, defect: Defect? = nil) throws -> RepeatedAppraisal.AttestedKey {
        let attested = try device.attestation(clientDataHash: clientDataHash, authority: authority, at: Date(), defect: defect)
        return try repeated.key(attestedBy: attested.attestationObject, clientDataHash: clientDataHash)
    }

    @Test("an attestation under a development root is marked as such")
    func developmentRoot() throws {
        let key = try key(of: SimulatedDevice())
        #expect(key.isDevelopmentRoot && key.environment == .development)
    }

    @Test(
        "each defect of an attestation is refused with its class",
        arguments: [
            (Defect.wrongCredentialID, AttestationFailure.keyIDMismatch), (.nonzeroCounter, .counterNonzero),
            (.otherCOSEKey, .publicKeyMismatch), (.leafIsAuthority, .certificateChain), (.leafSignedByOther, .certificateChain),
        ])
    func defects(defect: Defect, expected: AttestationFailure) throws {
        #expect(throws: expected) { try key(of: SimulatedDevice(), defect: defect) }
    }

    @Test("an assertion for another app, or with the attestation's counter, is refused")
    func assertions() throws {
        var device = SimulatedDevice()
        let key = try key(of: device)
        let sound = try device.assertion(clientDataHash: clientDataHash)
        guard case .verified(let verified, candidate: 0) = repeated.verdict(on: sound, by: key, candidates: [clientDataHash]) else {
            Issue.record("not verified")
            return
        }
        #expect(verified.counter == 1)
        let ofOtherApp = try device.assertion(clientDataHash: clientDataHash, defect: .assertionOfOtherApp)
        #expect(repeated.verdict(on: ofOtherApp, by: key, candidates: [clientDataHash]) == .rejected(.appIDMismatch))
        let withFirstCounter = try device.assertion(clientDataHash: clientDataHash, counter: 0)
        #expect(repeated.verdict(on: withFirstCounter, by: key, candidates: [clientDataHash]) == .rejected(.counterReplay))
    }
}
