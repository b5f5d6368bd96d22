import Crypto
public import Secrets
import SwiftASN1
import X509

/// An Ed25519 key without a certificate, as of a public log. The key may be in another device.
public protocol MessageSigner: Sendable {
    /// 32 bytes (RFC 8032).
    var publicKey: [UInt8] { get }
    /// - Returns: 64 bytes. Blocks: call it off the cooperative pool.
    /// - Throws: ``SigningError``.
    func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8]
}

/// A key from a PEM file: PKCS#8 of Ed25519, as `openssl genpkey -algorithm ed25519` writes it.
public struct PEMMessageSigner: MessageSigner {
    public let publicKey: [UInt8]
    private let key: Certificate.PrivateKey

    /// - Throws: ``SigningError/configuration(_:)``; its text never quotes the key.
    public init(privateKeyPEM: String) throws(SigningError) {
        key = try PEMSigner.readKey(privateKeyPEM)
        publicKey = try key.publicKey.ed25519()
    }

    public func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8] {
        guard let signature = try? key.sign(bytes: bytes, signatureAlgorithm: .ed25519) else {
            throw .unavailable("the private key did not sign")
        }
        return signature.rawRepresentation
    }
}

extension PEMMessageSigner: CustomReflectable {
    /// Without the key, so that `dump` does not print it.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
}

/// A key that stays inside a PKCS#11 token, with its public half beside it under the same label.
public final class PKCS11MessageSigner: MessageSigner {
    public let publicKey: [UInt8]
    private let key: TokenKey

    /// Loads the module, logs in, and signs once.
    /// - Throws: as ``PKCS11Signer/init(module:tokenLabel:pin:keyLabel:certificatesPEM:at:)``.
    public init(module: String, tokenLabel: String, pin: Secret<String>, keyLabel: String) throws(SigningError) {
        let bytes = try PKCS11Signer.publicKey(module: module, tokenLabel: tokenLabel, pin: pin, keyLabel: keyLabel).ed25519()
        publicKey = bytes
        key = try TokenKey(
            module: module, address: TokenAddress(tokenLabel: tokenLabel, pin: pin, keyLabel: keyLabel), algorithm: .ed25519,
            owner: "that of the public one",
            isValid: { signature, message in
                (try? Curve25519.Signing.PublicKey(rawRepresentation: bytes))?.isValidSignature(signature, for: message) == true
            })
    }

    public func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8] { try key.sign(bytes) }
}

extension Certificate.PublicKey {
    fileprivate func ed25519() throws(SigningError) -> [UInt8] {
        guard let key = Curve25519.Signing.PublicKey(self) else { throw .configuration("the private key is not Ed25519") }
        return Array(key.rawRepresentation)
    }
}

extension PEMMessageSigner {
    /// Reads the public half from PEM, 32 bytes.
    /// - Throws: ``SigningError/configuration(_:)`` for anything but an Ed25519 key.
    public static func publicKey(pem: String) throws(SigningError) -> [UInt8] {
        guard let key = try? Certificate.PublicKey(pemEncoded: pem) else { throw .configuration("the public key is not PEM, or damaged") }
        return try key.ed25519()
    }

    /// A new key, in PEM. Secret.
    /// - Throws: ``SigningError/unavailable(_:)`` if it cannot be written.
    public static func newKey() throws(SigningError) -> String {
        guard let document = try? Certificate.PrivateKey(Curve25519.Signing.PrivateKey()).serializeAsPEM() else {
            throw .unavailable("the new key cannot be written as PEM")
        }
        return document.pemString + "\n"
    }
}
