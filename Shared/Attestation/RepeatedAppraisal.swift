import Crypto
import Foundation
import X509

/// Verifies an attestation and an assertion again, years later and without a server, by who knows neither the device nor which apps were
/// accepted (SPEC §14 "Bundle"). What it cannot know, it leaves open: the app, the environment, the counter.
public struct RepeatedAppraisal: Sendable {
    /// A key whose chain leads to a root.
    public struct AttestedKey: Sendable, Equatable {
        /// 65 bytes.
        public let publicKeyX963: [UInt8]
        public let environment: AppAttestEnvironment
        /// The chain ends at a development root, not at Apple's.
        public let isDevelopmentRoot: Bool
        /// SHA-256 of the app's id.
        public let appHash: [UInt8]
    }

    private let chain: CertificateChain

    public init(roots: TrustRoots) { chain = CertificateChain(roots: roots, needsKeyUsage: false) }

    /// - Parameters:
    ///   - object: the attestation object as received.
    ///   - clientDataHash: the client data hash that the device attested.
    /// - Throws: the first check that failed. The certificates have to be valid at one moment, which has gone by.
    public func key(attestedBy object: [UInt8], clientDataHash: [UInt8]) throws(AttestationFailure) -> AttestedKey {
        let submitted = try SubmittedAttestation(object)
        let validated = try submitted.validated(by: chain, clientDataHash: clientDataHash, at: nil)
        guard SHA256.hash(data: validated.point).elementsEqual(submitted.credential.credentialID) else { throw .keyIDMismatch }
        guard submitted.head.counter == 0 else { throw .counterNonzero }
        guard let environment = AppAttestEnvironment.allCases.first(where: { submitted.credential.aaguid.elementsEqual($0.aaguid) }) else {
            throw .environmentMismatch
        }
        guard submitted.credential.publicKeyX963 == validated.point else { throw .publicKeyMismatch }
        return AttestedKey(
            publicKeyX963: validated.point, environment: environment, isDevelopmentRoot: validated.isDevelopmentRoot,
            appHash: Array(submitted.head.rpIDHash))
    }

    /// Verifies an assertion by an attested key, of the same app.
    /// - Parameter candidates: client data hashes that it may be over, in the order to try.
    public func verdict(on assertion: [UInt8], by key: AttestedKey, candidates: [[UInt8]]) -> AssertionVerdict {
        let verdict = AssertionAppraiser(appHash: key.appHash).appraise(
            assertion, publicKeyX963: key.publicKeyX963, candidates: candidates)
        // The attestation used counter 0, so a Secure Enclave never makes an assertion with it.
        if case .verified(let verified, _) = verdict, verified.counter == 0 { return .rejected(.counterReplay) }
        return verdict
    }
}

extension SubmittedAttestation {
    /// Verifies certificates and nonce: all that does not depend on what is accepted.
    /// - Parameter time: when the certificates have to be valid; `nil` for any one moment.
    /// - Returns: the attested key, 65 bytes.
    func validated(
        by chain: CertificateChain, clientDataHash: [UInt8], at time: Date?
    ) throws(AttestationFailure) -> (point: [UInt8], isDevelopmentRoot: Bool) {
        let validated = try chain.validate(certificates, at: time)
        guard let nonce = NonceExtension.read(validated.leaf) else { throw .nonceMissing }
        var hasher = SHA256()
        hasher.update(data: authenticatorData)
        hasher.update(data: clientDataHash)
        guard hasher.finalize().elementsEqual(nonce) else { throw .nonceMismatch }
        guard let publicKey = P256.Signing.PublicKey(validated.leaf.publicKey) else { throw .keyType }
        return (Array(publicKey.x963Representation), validated.isDevelopmentRoot)
    }
}
