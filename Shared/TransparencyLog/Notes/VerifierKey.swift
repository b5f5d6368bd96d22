import CaptureProtocol
import Crypto

/// The public key of a log or a witness with its name, written `name+id+base64` (c2sp.org/signed-note, "Verifier keys").
public struct VerifierKey: Hashable, Sendable, CustomStringConvertible {
    public let name: TextLine
    public let id: KeyID
    public let kind: KeyKind
    /// Ed25519 (RFC 8032), 32 bytes, not of small order.
    public let publicKey: [UInt8]

    /// - Throws: ``TransparencyLogError/Code/malformedKey`` if the name is invalid, or the key is not 32 bytes, not canonical, or of
    ///   small order.
    public init(name: TextLine, kind: KeyKind, publicKey: [UInt8]) throws(TransparencyLogError) {
        guard name.isKeyName else { throw TransparencyLogError(.malformedKey, "the name has a space or a plus") }
        guard publicKey.count == 32, EdwardsPoint.isUsable(publicKey) else {
            throw TransparencyLogError(.malformedKey, "the public key is not 32 bytes, not canonical, or of small order")
        }
        self.name = name
        self.kind = kind
        self.publicKey = publicKey
        id = KeyID(firstOf: ContentDigest(of: name.bytes + [0x0a, kind.rawValue] + publicKey).bytes)
    }

    /// Reads `name+id+base64`.
    /// - Throws: ``TransparencyLogError/Code/malformedKey`` for any other form, an id that is not the key's, and a kind that is not
    ///   checked here.
    public init(_ text: some Sequence<UInt8>) throws(TransparencyLogError) {
        let parts = try KeyText(text, prefix: "")
        try self.init(name: parts.name, kind: parts.kind, publicKey: parts.material)
        guard id == parts.id else { throw TransparencyLogError(.malformedKey, "the id is not the key's") }
    }

    /// Reads the same from text.
    /// - Throws: ``TransparencyLogError/Code/malformedKey``, likewise.
    public init(_ text: String) throws(TransparencyLogError) { try self.init(Array(text.utf8)) }

    public var description: String { "\(name)+\(id)+\(Base64.encode([kind.rawValue] + publicKey))" }

    /// Whether both are one key, whatever their names and kinds.
    public func isSameKey(as other: VerifierKey) -> Bool { publicKey == other.publicKey }

    func isSignature(_ signature: some Collection<UInt8>, over message: [UInt8]) -> Bool {
        guard signature.count == 64, let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
        return key.isValidSignature(Array(signature), for: message)
    }
}
