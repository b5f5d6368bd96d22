/// The App Attest environment of a key: development or released builds.
public enum AppAttestEnvironment: String, Sendable, CaseIterable {
    case production, development

    /// Its aaguid.
    var aaguid: [UInt8] {
        switch self {
        case .production: Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
        case .development: Array("appattestdevelop".utf8)
        }
    }
}

/// Whether Apple attests the key for one of the expected apps: with what the attestation says of it, or the first check that failed.
public enum AttestationVerdict: Sendable {
    case verified(VerifiedAttestation)
    case rejected(AttestationFailure)
}

/// The first check that failed, in the order that ``AttestationAppraiser`` describes.
public enum AttestationFailure: String, Error, Sendable, CaseIterable {
    case malformedCBOR = "malformed_cbor"
    case malformedObject = "malformed_object"
    case badFormat = "bad_format"
    case malformedAuthData = "malformed_auth_data"
    case certificateMalformed = "cert_malformed"
    case certificateChain = "cert_chain"
    case certificateExpired = "cert_expired"
    case nonceMissing = "nonce_missing"
    case nonceMismatch = "nonce_mismatch"
    case keyType = "key_type"
    case keyIDMismatch = "key_id_mismatch"
    case appIDMismatch = "app_id_mismatch"
    case counterNonzero = "counter_nonzero"
    case environmentMismatch = "environment_mismatch"
    case credentialIDMismatch = "credential_id_mismatch"
    case publicKeyMismatch = "public_key_mismatch"
}

/// An attestation that passed every check.
public struct VerifiedAttestation: Sendable, Equatable {
    /// SHA-256 of the public key's point.
    public let keyID: [UInt8]
    /// 65 bytes.
    public let publicKeyX963: [UInt8]
    public let appID: String
    public let environment: AppAttestEnvironment
    /// DER, leaf first.
    public let certificateChain: [[UInt8]]
    /// Not covered by the attestation: it proves nothing until ``ReceiptAppraiser`` has verified it.
    public let receipt: [UInt8]?
    public let extensions: AttestationExtensions
    /// The chain ends at a development root, not at Apple's.
    public let isDevelopmentRoot: Bool
}
