import Crypto
public import Foundation

/// Appraises App Attest attestations (Apple, "Validating apps that connect to your server"). The checks, in this order:
///
/// 1. size, CBOR, the fields of the object, its format, and the authenticator data;
/// 2. the certificate chain up to a pinned root, at the time of receipt, and the nonce in the leaf: SHA-256 of the authenticator data and
///    the client data hash;
/// 3. the key identifier: SHA-256 of the leaf's public key, which is of P-256;
/// 4. the app id, the counter (0), and the environment by the aaguid;
/// 5. the credential id, which is the key identifier, and beyond Apple's list the COSE key, which is the leaf's.
///
/// The caller checks that the challenge is its own, unused and not expired.
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
