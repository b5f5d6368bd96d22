import CaptureProtocol
import Crypto
public import Foundation
import SwiftASN1
import X509

/// Signs with a private key read from PEM text. For development: the key is in this process's memory.
public struct PEMSigner: ClaimSigner {
    public let certificate: SigningCertificate
    private let key: Certificate.PrivateKey

    public var algorithm: SigningAlgorithm { certificate.algorithm }
    public var certificateChainPEM: String { certificate.pem }

    /// - Parameters:
    ///   - certificatesPEM: the signer's certificate, then its issuers.
    ///   - privateKeyPEM: PKCS#8 (Ed25519 or P-256) or SEC 1 (P-256), not encrypted.
    ///   - time: at which the certificates have to be valid.
    /// - Throws: ``SigningError/configuration(_:)``; its text never quotes the key.
    public init(certificatesPEM: String, privateKeyPEM: String, at time: Date) throws(SigningError) {
        certificate = try SigningCertificate(pem: certificatesPEM)
        try certificate.check(at: time)
        key = try Self.readKey(privateKeyPEM)
        guard certificate.matches(publicKey: key.publicKey) else {
            throw .configuration("the private key does not belong to the signer's certificate")
        }
    }

    public func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8] {
        switch algorithm {
        case .ed25519:
            guard let signature = try? key.sign(bytes: bytes, signatureAlgorithm: .ed25519) else { break }
            return signature.rawRepresentation
        case .es256:
            // X.509 signatures are DER; COSE wants r ‖ s (RFC 9053 §2.1).
            guard let der = try? key.sign(bytes: bytes, signatureAlgorithm: .ecdsaWithSHA256).rawRepresentation,
                let signature = try? P256.Signing.ECDSASignature(derRepresentation: der)
            else { break }
            return Array(signature.rawRepresentation)
        }
        throw .unavailable("the private key did not sign")
    }

    public func check() throws(SigningError) {
        let nonce = [UInt8].random(32)
        guard certificate.isValidSignature(try sign(nonce), for: nonce) else {
            throw .unavailable("the private key's signature does not verify with the signer's certificate")
        }
    }

    static func readKey(_ pem: String) throws(SigningError) -> Certificate.PrivateKey {
        guard pem.utf8.count <= SigningCertificate.maximumSizeBytes, let documents = try? PEMDocument.parseMultiple(pemString: pem) else {
            throw .configuration("the private key is not PEM")
        }
        // `openssl ecparam -genkey` writes the curve before the key.
        let keys = documents.filter { $0.discriminator != "EC PARAMETERS" }
        guard keys.count == 1, let document = keys.first else {
            throw .configuration("the private key's text must hold one key, but holds \(keys.count) PEM blocks")
        }
        switch document.discriminator {
        case "PRIVATE KEY", "EC PRIVATE KEY": break
        case "ENCRYPTED PRIVATE KEY": throw .configuration("the private key is encrypted")
        default: throw .configuration("the private key is neither PKCS#8 (\"PRIVATE KEY\") nor SEC 1 (\"EC PRIVATE KEY\")")
        }
        guard let key = try? Certificate.PrivateKey(pemDocument: document) else {
            throw .configuration("the private key is damaged, or neither Ed25519 nor P-256")
        }
        return key
    }
}

extension PEMSigner: CustomReflectable {
    /// Without the key, so that `dump` does not print it.
    public var customMirror: Mirror { Mirror(self, children: ["algorithm": algorithm, "leafFingerprint": certificate.leafFingerprint]) }
}
