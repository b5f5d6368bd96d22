/// The public key of a device's request signatures, vouched for by its attestation.
public struct RequestKey: Codable, Sendable, Hashable {
    /// The kind of the key, which says the form of its bytes.
    public enum Algorithm: String, Codable, Sendable {
        /// 32 raw bytes (RFC 8032).
        case ed25519
        /// 65 bytes, X9.63 uncompressed.
        case p256
    }
    public let algorithm: Algorithm
    public let publicKey: Base64Bytes

    public init(algorithm: Algorithm, publicKey: [UInt8]) {
        self.algorithm = algorithm
        self.publicKey = Base64Bytes(publicKey)
    }

    enum CodingKeys: String, CodingKey {
        case algorithm
        case publicKey = "public_key"
    }
}
