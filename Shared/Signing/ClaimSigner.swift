/// The COSE algorithms for signing claims (C2PA 2.4 §13.2).
public enum SigningAlgorithm: String, Sendable, CaseIterable {
    /// Ed25519 (RFC 8032); signatures of 64 bytes.
    case ed25519
    /// ECDSA over P-256 with SHA-256; signatures of 64 bytes, r ‖ s.
    case es256
}

/// A key that signs C2PA claims, and its certificates. The key may be in another device.
public protocol ClaimSigner: Sendable {
    var algorithm: SigningAlgorithm { get }
    /// PEM: the signer's certificate first, without the root.
    var certificateChainPEM: String { get }
    /// Signs the bytes themselves (Ed25519) or their SHA-256 (ES256). Blocks: call it off the cooperative pool.
    /// - Throws: ``SigningError``.
    func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8]
    /// Whether the key can be used now; cheap enough for a readiness check every few seconds. Blocks.
    /// - Throws: ``SigningError`` if it cannot.
    func check() throws(SigningError)
}

/// Why a signer cannot be made or cannot sign.
public enum SigningError: Error, Sendable, Equatable {
    /// A setting is wrong, so that no retry helps. The text says what is wrong and never has key material.
    case configuration(String)
    /// The token or its module is missing or fails for now.
    case unavailable(String)
}
