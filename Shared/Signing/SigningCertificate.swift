import CaptureProtocol
import Crypto
public import Foundation
import SwiftASN1
public import X509

/// The certificate chain of a signing key: the signer's certificate first, then each issuer, without the root.
public struct SigningCertificate: Sendable {
    static let maximumCertificates = 8
    static let maximumSizeBytes = 65_536

    /// The leaf's serial number, big-endian; at most 20 bytes in a valid certificate (RFC 5280 §4.1.2.2).
    public var leafSerialBytes: [UInt8] { certificates.first.map { Array($0.serialNumber.bytes) } ?? [] }
    /// The algorithm of the leaf's key.
    public let algorithm: SigningAlgorithm
    /// The chain as PEM, leaf first, without the root.
    public let pem: String
    /// The earliest end of validity in the chain; claims cannot be signed after it.
    public let notValidAfter: Date
    /// SHA-256 of the leaf's DER, lower-case hex.
    public let leafFingerprint: String
    let certificates: [Certificate]
    /// What is wrong with the chain at any time.
    private let defect: SigningError?

    /// Reads the chain; ``check(at:)`` validates it.
    /// - Throws: ``SigningError/configuration(_:)`` unless the text is one to eight PEM certificates in at most 64 KiB and the leaf's key
    ///   is Ed25519 or P-256.
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
                throw .configuration("part \(index + 1) of the certificate chain is not a certificate")
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
        self.defect = Self.defect(of: certificates)
    }

    /// Validates the leaf's profile (C2PA 2.4 §14.5, as far as the C2PA library enforces it), every link of the chain (RFC 5280 §6.1) and
    /// every validity period.
    /// - Throws: ``SigningError/configuration(_:)`` with the certificate's subject and its defect.
    public func check(at time: Date) throws(SigningError) {
        if let defect { throw defect }
        for certificate in certificates {
            if let defect = Self.validityDefect(of: certificate, at: time) { throw Self.refusal(of: certificate, defect) }
        }
    }

    /// All but validity periods: signatures of a chain are verified once.
    private static func defect(of certificates: [Certificate]) -> SigningError? {
        for (index, certificate) in certificates.enumerated() {
            let defect =
                index == 0 ? LeafProfile.defect(of: certificate) : IssuerProfile.defect(of: certificate, authoritiesBelow: index - 1)
            if let defect { return refusal(of: certificate, defect) }
        }
        for (certificate, issuer) in zip(certificates, certificates.dropFirst()) {
            if let defect = IssuerProfile.defect(ofLinkFrom: certificate, to: issuer) { return refusal(of: certificate, defect) }
        }
        return nil
    }

    /// Whether the leaf is this key's certificate.
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

    private static func validityDefect(of certificate: Certificate, at time: Date) -> String? {
        if time < certificate.notValidBefore { return "it is not valid before \(certificate.notValidBefore.ISO8601Format())" }
        if time > certificate.notValidAfter { return "it expired on \(certificate.notValidAfter.ISO8601Format())" }
        return nil
    }

    private static func refusal(of certificate: Certificate, _ defect: String) -> SigningError {
        .configuration("certificate \"\(certificate.subject)\": \(defect)")
    }
}

extension SigningCertificate {
    /// The signer's name, as readers of Content Credentials show it: the subject's organization, else its common name; `nil` without
    /// either.
    public var organization: String? {
        guard let subject = certificates.first?.subject else { return nil }
        let attributes = subject.flatMap { Array($0) }
        for type in [ASN1ObjectIdentifier.RDNAttributeType.organizationName, .RDNAttributeType.commonName] {
            if let value = attributes.first(where: { $0.type == type }).flatMap({ String($0.value) }), !value.isEmpty { return value }
        }
        return nil
    }
}

extension SigningCertificate {
    /// The leaf's serial number in decimal, as readers of Content Credentials show it.
    public var serialNumber: String { Self.decimal(leafSerialBytes) }

    /// The serial number of any DER certificate in the same format; `nil` if it is not a certificate.
    public static func serialNumber(ofCertificate der: [UInt8]) -> String? {
        (try? Certificate(derEncoded: der)).map { decimal($0.serialNumber.bytes) }
    }

    /// - Parameter bytes: a number, big-endian.
    private static func decimal(_ bytes: some Sequence<UInt8>) -> String {
        // Little-endian decimal digits, multiplied by 256 for each further byte.
        var digits: [Int] = [0]
        for byte in bytes {
            var carry = Int(byte)
            for index in digits.indices {
                let value = digits[index] * 256 + carry
                digits[index] = value % 10
                carry = value / 10
            }
            while carry > 0 {
                digits.append(carry % 10)
                carry /= 10
            }
        }
        return digits.reversed().map(String.init).joined()
    }
}
