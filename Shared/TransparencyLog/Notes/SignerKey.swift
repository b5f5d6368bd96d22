import CaptureProtocol
import Crypto

/// The private key of a log or a witness, written `PRIVATE+KEY+name+id+base64` as Go's sumdb/note does.
public struct SignerKey: Sendable {
    public let verifier: VerifierKey
    private let seed: [UInt8]

    /// - Parameter seed: the private key of RFC 8032 §5.1.5, 32 bytes.
    /// - Throws: ``TransparencyLogError/Code/malformedKey`` for another length and for an invalid name.
    public init(name: TextLine, kind: KeyKind, seed: [UInt8]) throws(TransparencyLogError) {
        guard seed.count == 32, let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else {
            throw TransparencyLogError(.malformedKey, "the private key is not 32 bytes")
        }
        verifier = try VerifierKey(name: name, kind: kind, publicKey: Array(key.publicKey.rawRepresentation))
        self.seed = seed
    }

    /// Reads ``text``.
    /// - Throws: ``TransparencyLogError/Code/malformedKey``.
    public init(_ text: String) throws(TransparencyLogError) {
        let parts = try KeyText(text.utf8, prefix: Self.prefix)
        try self.init(name: parts.name, kind: parts.kind, seed: parts.material)
        guard verifier.id == parts.id else { throw TransparencyLogError(.malformedKey, "the id is not the key's") }
    }

    /// Secret.
    public var text: String { "\(Self.prefix)\(verifier.name)+\(verifier.id)+\(Base64.encode([verifier.kind.rawValue] + seed))" }

    /// Signs the text of a note as a log.
    /// - Throws: ``TransparencyLogError/Code/wrongKey`` if the key is a witness's.
    public func sign(_ text: [UInt8]) throws(TransparencyLogError) -> NoteSignature {
        guard verifier.kind == .log else { throw TransparencyLogError(.wrongKey, "a witness's key signs with a time") }
        return NoteSignature(key: verifier, signature: try ed25519(text))
    }

    /// Signs the text of a checkpoint as a witness (cosignature/v1).
    /// - Parameter seconds: POSIX time, at most 2^63 − 1.
    /// - Throws: ``TransparencyLogError/Code/wrongKey`` if the key is a log's, ``TransparencyLogError/Code/outOfRange`` for a later time.
    public func cosign(_ text: [UInt8], at seconds: UInt64) throws(TransparencyLogError) -> NoteSignature {
        guard verifier.kind == .witness else { throw TransparencyLogError(.wrongKey, "a log's key cosigns nothing") }
        guard seconds <= Cosignature.latest else { throw TransparencyLogError(.outOfRange, "the time is above 2^63 − 1") }
        let signature = try ed25519(Cosignature.message(text, at: seconds))
        return NoteSignature(key: verifier, signature: Cosignature(seconds: seconds, signature: signature).bytes)
    }

    private func ed25519(_ message: [UInt8]) throws(TransparencyLogError) -> [UInt8] {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed), let signature = try? key.signature(for: message) else {
            throw TransparencyLogError(.malformedKey, "the private key does not sign")
        }
        return Array(signature)
    }

    private static let prefix = "PRIVATE+KEY+"
}
