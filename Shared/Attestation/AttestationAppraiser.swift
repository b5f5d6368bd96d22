import Crypto
public import Foundation

/// Appraises App Attest attestations: every check of `guides/app-attest.md` §1, in that order, except the challenge's lifetime.
public struct AttestationAppraiser: Sendable {
    private let appIDs: [(appID: String, hash: [UInt8])]
    private let environment: AppAttestEnvironment
    private let chain: CertificateChain

    /// - Parameter appIDs: `team.bundle`, case-sensitive.
    public init(roots: TrustRoots, appIDs: [String], environment: AppAttestEnvironment) {
        self.appIDs = appIDs.map { ($0, Array(SHA256.hash(data: Array($0.utf8)))) }
        self.environment = environment
        chain = CertificateChain(roots: roots)
    }

    /// - Parameters:
    ///   - object: the attestation object as received.
    ///   - keyID: 32 bytes, as the client sent them.
    ///   - clientDataHash: the client data hash that the device attested; normally 32 bytes.
    ///   - time: the time of receipt, at which the certificates must be valid: their validity is only days.
    public func appraise(_ object: [UInt8], keyID: [UInt8], clientDataHash: [UInt8], at time: Date) -> AttestationVerdict {
        do {
            return .verified(try verify(object, keyID: keyID, clientDataHash: clientDataHash, at: time))
        } catch {
            return .rejected(error)
        }
    }

    private func verify(
        _ object: [UInt8], keyID: [UInt8], clientDataHash: [UInt8], at time: Date
    ) throws(AttestationFailure) -> VerifiedAttestation {
        let submitted = try SubmittedAttestation(object)
        let (point, isDevelopmentRoot) = try submitted.validated(by: chain, clientDataHash: clientDataHash, at: time)
        guard SHA256.hash(data: point).elementsEqual(keyID) else { throw .keyIDMismatch }
        guard let app = appIDs.first(where: { $0.hash.elementsEqual(submitted.head.rpIDHash) }) else { throw .appIDMismatch }
        guard submitted.head.counter == 0 else { throw .counterNonzero }
        guard submitted.credential.aaguid.elementsEqual(environment.aaguid) else { throw .environmentMismatch }
        guard submitted.credential.credentialID.elementsEqual(keyID) else { throw .credentialIDMismatch }
        guard submitted.credential.publicKeyX963 == point else { throw .publicKeyMismatch }
        return VerifiedAttestation(
            keyID: keyID, publicKeyX963: point, appID: app.appID, environment: environment,
            certificateChain: submitted.certificates.map(Array.init), receipt: submitted.receipt.map(Array.init),
            extensions: submitted.credential.extensions, isDevelopmentRoot: isDevelopmentRoot)
    }
}
