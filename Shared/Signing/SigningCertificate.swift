import CaptureProtocol
import Crypto
public import Foundation
import SwiftASN1
public import X509

/// The certificates that vouch for a signing key: the signer's own first, then each issuer, the root left out.
public struct SigningCertificate: Sendable {
    static let maximumCertificates = 8
    static let maximumSizeBytes = 65_536

    /// Of the leaf, big-endian; at most 20 bytes in a sound certificate (RFC 5280 §4.1.2.2).
    public var leafSerialBytes: [UInt8] { certificates.first.map { Array($0.serialNumber.bytes) } ?? [] }
    /// What the leaf's key signs with.
    public let algorithm: SigningAlgorithm
    /// The chain as PEM, leaf first; a root that was given with it is left out.
    public let pem: String
    /// The earliest end of validity in the chain: no claim can be signed after it.
    public let notValidAfter: Date
    /// SHA-256 of the leaf's DER, lower-case hex.
    public let leafFingerprint: String
    let certificates: [Certificate]

    /// Reads the chain without judging it; ``check(at:)`` does that.
    /// - Throws: ``SigningError/configuration(_:)`` for anything but one to eight PEM certificates in at most 64 KiB, or a leaf whose key is
    ///   neither Ed25519 nor P-256.
    public init(pem: String) throws(SigningError) {
        guard pem.utf8.count <= Self.maximumSizeBytes else { throw .configuration("the certificate chain is larger than 64 KiB") }
        guard let documents = try? PEMDocument.parseMultiple(pemString: pem), !documents.isEmpty else {
            throw .configuration("the certificate chain holds no PEM certificate")
        }
        guard documents.count <= Self.maximumCertificates else {
            throw .configuration("the certificate chain holds more than \(Self.maximumCertificates) certificates")
        }
        var parsed: [(certificate: Certificate, document: PEMDocument)] = []
        for (index, document) in documents.enumerated() {
            guard document.discriminator == Certificate.defaultPEMDiscriminator else {
                throw .configuration("the certificate chain holds something else than certificates, as its part \(index + 1)")
            }
            guard let certificate = try? Certificate(derEncoded: document.derBytes) else {
                throw .configuration("certificate \(index + 1) of the chain cannot be read")
            }
            parsed.append((certificate, document))
        }
        if parsed.count > 1, let last = parsed.last?.certificate, last.issuer == last.subject { parsed.removeLast() }
        guard let leaf = parsed.first else { throw .configuration("the certificate chain holds no PEM certificate") }
        self.algorithm = try Self.algorithm(of: leaf.certificate)
        self.certificates = parsed.map(\.certificate)
        self.pem = parsed.map { $0.document.pemString + "\n" }.joined()
        self.notValidAfter = parsed.map(\.certificate.notValidAfter).min() ?? leaf.certificate.notValidAfter
        self.leafFingerprint = Hex.encode(SHA256.hash(data: leaf.document.derBytes))
    }

    /// Judges the leaf's profile (C2PA 2.4 §14.5, as far as the C2PA library enforces it), every link of the chain (RFC 5280 §6.1) and every
    /// validity period.
    /// - Throws: ``SigningError/configuration(_:)`` naming the certificate by its subject, and what is wrong with it.
    public func check(at time: Date) throws(SigningError) {
        for (index, certificate) in certificates.enumerated() {
            let flaw =
                index == 0 ? LeafProfile.flaw(of: certificate) : IssuerProfile.flaw(of: certificate, authoritiesBelow: index - 1)
            if let flaw { throw Self.refusal(of: certificate, flaw) }
            if let flaw = Self.validityFlaw(of: certificate, at: time) { throw Self.refusal(of: certificate, flaw) }
        }
        for (certificate, issuer) in zip(certificates, certificates.dropFirst()) {
            if let flaw = IssuerProfile.flaw(ofLinkFrom: certificate, to: issuer) { throw Self.refusal(of: certificate, flaw) }
        }
    }

    /// Whether the leaf certifies this key.
    public func matches(publicKey: Certificate.PublicKey) -> Bool { certificates.first?.publicKey == publicKey }

    /// Whether the leaf's key made `signature` over `bytes`: 64 bytes, for ES256 as r ‖ s.
    public func isValidSignature(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        guard let key = certificates.first?.publicKey else { return false }
        switch algorithm {
        case .ed25519:
            return Curve25519.Signing.PublicKey(key)?.isValidSignature(signature, for: bytes) ?? false
        case .es256:
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return P256.Signing.PublicKey(key)?.isValidSignature(signature, for: bytes) ?? false
        }
    }

    private static func algorithm(of leaf: Certificate) throws(SigningError) -> SigningAlgorithm {
        if Curve25519.Signing.PublicKey(leaf.publicKey) != nil { return .ed25519 }
        if P256.Signing.PublicKey(leaf.publicKey) != nil { return .es256 }
        throw refusal(of: leaf, "its key is neither Ed25519 nor P-256")
    }

    private static func validityFlaw(of certificate: Certificate, at time: Date) -> String? {
        if time < certificate.notValidBefore { return "it is not valid before \(certificate.notValidBefore.ISO8601Format())" }
        if time > certificate.notValidAfter { return "it expired on \(certificate.notValidAfter.ISO8601Format())" }
        return nil
    }

    private static func refusal(of certificate: Certificate, _ flaw: String) -> SigningError {
        .configuration("certificate \"\(certificate.subject)\": \(flaw)")
    }
}
