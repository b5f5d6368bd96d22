import Foundation
import Testing

@testable import Attestation
@testable import SimulatedDevice

@Suite("The certificate that issues an attestation's leaf")
struct IssuingCertificateTests {
    private let time = Date(timeIntervalSince1970: 1_780_000_000)

    /// Why an attestation is refused by who verifies it first, and by who repeats that years later; `nil` if it is not.
    private func failures(_ defect: IntermediateDefect?) throws -> (first: AttestationFailure?, repeated: AttestationFailure?) {
        let authority = try DevelopmentAttestationAuthority(at: time, intermediate: defect)
        let roots = try TrustRoots.apple.adding(pem: authority.rootPEM)
        let device = SimulatedDevice()
        let hash = [UInt8](repeating: 7, count: 32)
        let attestation = try device.attestation(clientDataHash: hash, authority: authority, at: time)
        let verdict = AttestationAppraiser(roots: roots, appIDs: [device.appID], environment: .development).appraise(
            attestation.attestationObject, keyID: attestation.keyID, clientDataHash: hash, at: time)
        var first: AttestationFailure?
        if case .rejected(let failure) = verdict { first = failure }
        do {
            _ = try RepeatedAppraisal(roots: roots).key(attestedBy: attestation.attestationObject, clientDataHash: hash)
            return (first, nil)
        } catch {
            return (first, error)
        }
    }

    @Test("is accepted if it is an authority that may sign certificates")
    func sound() throws {
        let (first, repeated) = try failures(nil)
        #expect(first == nil && repeated == nil)
    }

    @Test(
        "is refused if it is no authority, may not sign certificates, or has a critical extension that is not known here",
        arguments: [IntermediateDefect.notAuthority, .notForCertificates, .unknownCriticalExtension])
    func refused(defect: IntermediateDefect) throws {
        let (first, repeated) = try failures(defect)
        #expect(first == .certificateChain && repeated == .certificateChain)
    }

    @Test("has to say that it may sign certificates; for who repeats the appraisal it is enough that it does not say otherwise")
    func noKeyUsage() throws {
        let (first, repeated) = try failures(.noKeyUsage)
        #expect(first == .certificateChain && repeated == nil)
    }
}
