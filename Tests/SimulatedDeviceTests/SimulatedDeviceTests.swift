import Attestation
import Crypto
import Foundation
import SimulatedDevice
import Testing

@Suite("The simulated device")
struct SimulatedDeviceTests {
    let authority: DevelopmentAttestationAuthority
    let now = Date(timeIntervalSince1970: 1_780_000_000)
    let challenge = [UInt8](repeating: 7, count: 32)

    init() throws { authority = try DevelopmentAttestationAuthority(at: Date(timeIntervalSince1970: 1_780_000_000)) }

    private func appraise(_ device: SimulatedDevice, defect: Defect? = nil, roots: TrustRoots? = nil) throws -> AttestationVerdict {
        let attestation = try device.attestation(challenge: challenge, authority: authority, at: now, defect: defect)
        let hash = Array(SHA256.hash(data: challenge + (try device.requestPublicKey ?? [])))
        let appraiser = AttestationAppraiser(
            roots: try roots ?? .apple.adding(pem: authority.rootPEM), appIDs: [device.appID], environment: .development)
        return appraiser.appraise(attestation.attestationObject, keyID: attestation.keyID, clientDataHash: hash, at: now)
    }

    @Test("is verified under its own root, and marked as a development attestation", arguments: RequestKeyKind.allCases)
    func verifies(kind: RequestKeyKind) throws {
        let device = SimulatedDevice(requestKey: kind)
        guard case .verified(let verified) = try appraise(device) else {
            Issue.record("not verified")
            return
        }
        #expect(verified.isDevelopmentRoot)
        #expect(try verified.keyID == device.keyID)
    }

    @Test("is refused under Apple's root alone")
    func appleRefuses() throws {
        guard case .rejected(let failure) = try appraise(SimulatedDevice(), roots: .apple) else {
            Issue.record("verified")
            return
        }
        #expect(failure == .certificateChain)
    }

    @Test(
        "each defect of an attestation is refused with its class",
        arguments: [
            (Defect.wrongChallenge, AttestationFailure.nonceMismatch), (.wrongAppID, .appIDMismatch),
            (.wrongEnvironment, .environmentMismatch), (.otherRoot, .certificateChain), (.expiredLeaf, .certificateExpired),
            (.futureLeaf, .certificateExpired), (.leafIsAuthority, .certificateChain), (.leafSignedByOther, .certificateChain),
            (.missingIntermediate, .malformedObject), (.missingNonce, .nonceMissing), (.nonzeroCounter, .counterNonzero),
            (.wrongKeyID, .keyIDMismatch), (.wrongCredentialID, .credentialIDMismatch), (.otherCOSEKey, .publicKeyMismatch),
            (.wrongFormat, .badFormat), (.trailingCBOR, .malformedCBOR), (.truncatedAuthData, .malformedAuthData),
        ])
    func defects(defect: Defect, expected: AttestationFailure) throws {
        guard case .rejected(let failure) = try appraise(SimulatedDevice(), defect: defect) else {
            Issue.record("verified")
            return
        }
        #expect(failure == expected)
    }

    @Test("assertions verify by the attested key, with rising counters, also after a round trip through JSON")
    func assertions() throws {
        var device = try JSONDecoder().decode(SimulatedDevice.self, from: JSONEncoder().encode(SimulatedDevice(requestKey: .none)))
        let hash = [UInt8](repeating: 1, count: 32)
        guard case .verified(let verified) = try appraise(device) else {
            Issue.record("not verified")
            return
        }
        let appraiser = AssertionAppraiser(appIDs: [device.appID])
        for counter in UInt32(1)...3 {
            let assertion = try device.assertion(clientDataHash: hash)
            guard
                case .verified(let held, 1) = appraiser.appraise(
                    assertion, publicKeyX963: verified.publicKeyX963, candidates: [Array(hash.reversed() + [0]), hash])
            else {
                Issue.record("not verified")
                return
            }
            #expect(held.counter == counter)
        }
    }

    @Test(
        "each defect of an assertion is refused with its class",
        arguments: [
            (Defect.badSignature, AssertionFailure.badSignature), (.assertionOfOtherApp, .appIDMismatch),
            (.assertionTrailingCBOR, .malformedCBOR),
        ])
    func assertionDefects(defect: Defect, expected: AssertionFailure) throws {
        var device = SimulatedDevice()
        guard case .verified(let verified) = try appraise(device) else {
            Issue.record("not verified")
            return
        }
        let hash = [UInt8](repeating: 1, count: 32)
        let assertion = try device.assertion(clientDataHash: hash, defect: defect)
        let verdict = AssertionAppraiser(appIDs: [device.appID]).appraise(
            assertion, publicKeyX963: verified.publicKeyX963, clientDataHash: hash)
        #expect(verdict == .rejected(expected))
    }
}
