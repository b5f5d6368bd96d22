/// A deliberate error of a simulated device.
public enum Defect: String, Sendable, CaseIterable {
    // In attestations.
    case wrongChallenge = "wrong-challenge"
    case wrongAppID = "wrong-app-id"
    case wrongEnvironment = "wrong-environment"
    case otherRoot = "other-root"
    case expiredLeaf = "expired-leaf"
    case futureLeaf = "future-leaf"
    case leafIsAuthority = "leaf-is-authority"
    case leafSignedByOther = "leaf-signed-by-other"
    case missingIntermediate = "missing-intermediate"
    case missingNonce = "missing-nonce"
    case nonzeroCounter = "nonzero-counter"
    case wrongKeyID = "wrong-key-id"
    case wrongCredentialID = "wrong-credential-id"
    case otherCOSEKey = "other-cose-key"
    case wrongFormat = "wrong-format"
    case trailingCBOR = "trailing-cbor"
    case truncatedAuthData = "truncated-auth-data"
    // In assertions.
    case badSignature = "bad-signature"
    case assertionOfOtherApp = "assertion-of-other-app"
    case assertionTrailingCBOR = "assertion-trailing-cbor"

    /// Whether the defect is in the attestation, not in assertions.
    public var isOfAttestation: Bool {
        switch self {
        case .badSignature, .assertionOfOtherApp, .assertionTrailingCBOR: false
        default: true
        }
    }
}

/// A deliberate error of the certificate that issues a simulated device's.
enum IntermediateDefect: Sendable {
    case notAuthority
    /// Its key may sign revocation lists only.
    case notForCertificates
    case noKeyUsage
    case unknownCriticalExtension
}
