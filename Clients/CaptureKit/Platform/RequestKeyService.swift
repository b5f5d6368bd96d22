public import CaptureProtocol

/// The key that signs requests: P-256 in the Secure Enclave on iOS, in software elsewhere.
public protocol RequestKeyService: Sendable {
    /// Creates a key.
    func generate() throws -> RequestKeyPair

    /// Signs a message as SPEC §2 says: ECDSA over its SHA-256 in DER form for P-256, Ed25519 otherwise.
    /// - Parameter reference: of a key that ``generate()`` created on this device.
    func signature(of message: [UInt8], with reference: [UInt8]) throws -> [UInt8]
}

/// A request key.
public struct RequestKeyPair: Sendable, Equatable {
    public let publicKey: RequestKey
    /// What ``RequestKeyService`` needs to sign with it: the Secure Enclave's encrypted form on iOS. Kept in the ``SecureStore``.
    public let reference: [UInt8]

    public init(publicKey: RequestKey, reference: [UInt8]) {
        self.publicKey = publicKey
        self.reference = reference
    }
}
