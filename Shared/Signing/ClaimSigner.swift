/// The COSE algorithms that claims are signed with (C2PA 2.4 §13.2).
public enum SigningAlgorithm: String, Sendable, CaseIterable {
    /// Ed25519 (RFC 8032); signatures of 64 bytes.
    case ed25519
    /// ECDSA over P-256 with SHA-256; signatures of 64 bytes, r ‖ s.
    case es256
}

/// A key that signs C2PA claims, with the certificates that vouch for it. The key may sit elsewhere.
public protocol ClaimSigner: Sendable {
    var algorithm: SigningAlgorithm { get }
    /// PEM, the signer's certificate first, the root left out.
    var certificateChainPEM: String { get }
    /// Signs the bytes as they are (Ed25519), or their SHA-256 (ES256). Blocks: call it off the cooperative pool.
    /// - Throws: ``SigningError``.
    func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8]
    /// Whether the key can be used now; cheap enough for a readiness check every few seconds. Blocks.
    /// - Throws: ``SigningError`` where it cannot.
    func check() throws(SigningError)
}

/// Why a signer cannot be made or cannot sign.
public enum SigningError: Error, Sendable, Equatable {
    /// The setting itself is wrong: no retry helps. The text says what and where, never key material.
    case configuration(String)
    /// The token or its module is away or refuses for now.
    case unavailable(String)
}
