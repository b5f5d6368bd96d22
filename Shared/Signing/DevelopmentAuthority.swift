import CaptureProtocol
import Crypto
public import Foundation
import SwiftASN1
public import X509

/// A private certificate authority for development and tests: root (10 years), issuing authority (5 years), leaves of the C2PA profile.
///
/// The authorities' keys exist only in this value, so nothing more can be issued with them later.
public struct DevelopmentAuthority: Sendable {
    /// The settings of a ``PEMSigner``, and the root that readers must trust.
    public struct Identity: Sendable {
        public let rootPEM: String
        /// Leaf, then issuing authority.
        public let chainPEM: String
        /// PKCS#8.
        public let privateKeyPEM: String
    }

    private static let day: TimeInterval = 86_400
    public let rootPEM: String
    public let issuingPEM: String
    private let issuing: Certificate
    private let issuingKey: Certificate.PrivateKey
    private let algorithm: SigningAlgorithm

    /// Creates root and issuing authority with new keys.
    /// - Parameter start: the start of their validity.
    public init(algorithm: SigningAlgorithm, validFrom start: Date) throws {
        self.algorithm = algorithm
        let rootKey = Self.newKey(algorithm)
        let rootName = try Self.name("rial development root")
        let authorityUsage = KeyUsage(keyCertSign: true, cRLSign: true)
        let root = try Self.certify(
            rootKey.publicKey, subject: rootName, issuer: rootName, validity: DateInterval(start: start, duration: 3_650 * Self.day),
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(authorityUsage)
                SubjectKeyIdentifier(hash: rootKey.publicKey)
            }, by: rootKey, algorithm)
        let issuingKey = Self.newKey(algorithm)
        issuing = try Self.certify(
            issuingKey.publicKey, subject: Self.name("rial development issuing"), issuer: rootName,
            validity: DateInterval(start: start, duration: 1_825 * Self.day),
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(authorityUsage)
                SubjectKeyIdentifier(hash: issuingKey.publicKey)
                AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: rootKey.publicKey).keyIdentifier)
            }, by: rootKey, algorithm)
        self.issuingKey = issuingKey
        rootPEM = try root.serializeAsPEM().pemString + "\n"
        issuingPEM = try issuing.serializeAsPEM().pemString + "\n"
    }

    /// An authority and one signer with a new key.
    /// - Parameters:
    ///   - leafValidity: 365 days from `now` if absent. The authorities are valid from its start or from `now`, whichever is earlier.
    ///   - leafSerial: big-endian; random if absent.
    ///   - now: rounded down to the second.
    public static func make(
        algorithm: SigningAlgorithm, leafValidity: DateInterval? = nil, leafSerial: [UInt8]? = nil, now: Date
    ) throws -> Identity {
        let validity = leafValidity ?? year(from: now)
        let authority = try DevelopmentAuthority(algorithm: algorithm, validFrom: min(now, validity.start))
        let key = newKey(algorithm)
        return Identity(
            rootPEM: authority.rootPEM, chainPEM: try authority.issue(leafFor: key.publicKey, serial: leafSerial, validity: validity),
            privateKeyPEM: try key.serializeAsPEM().pemString + "\n")
    }

    /// Issues a certificate for a key generated elsewhere, such as in a token.
    /// - Parameter serial: big-endian; random if absent.
    /// - Returns: PEM, leaf and issuing authority.
    public func issue(
        leafFor publicKey: Certificate.PublicKey, commonName: String = "rial development signer", serial: [UInt8]? = nil,
        validity: DateInterval
    ) throws -> String {
        let leaf = try Self.certify(
            publicKey, subject: Self.name(commonName), issuer: issuing.subject, serial: serial, validity: validity,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true, nonRepudiation: true))
                try ExtendedKeyUsage([.init(oid: LeafProfile.claimSigning), .emailProtection])
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: issuingKey.publicKey).keyIdentifier)
            }, by: issuingKey, algorithm)
        return try leaf.serializeAsPEM().pemString + "\n" + issuingPEM
    }

    /// 365 days.
    public static func year(from start: Date) -> DateInterval { DateInterval(start: start, duration: 365 * day) }

    private static func certify(
        _ key: Certificate.PublicKey, subject: DistinguishedName, issuer: DistinguishedName, serial: [UInt8]? = nil, validity: DateInterval,
        extensions: Certificate.Extensions, by issuerKey: Certificate.PrivateKey, _ algorithm: SigningAlgorithm
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: serial.map { Certificate.SerialNumber(bytes: $0) } ?? newSerialNumber(), publicKey: key,
            notValidBefore: wholeSecond(validity.start), notValidAfter: wholeSecond(validity.end), issuer: issuer, subject: subject,
            signatureAlgorithm: algorithm == .ed25519 ? .ed25519 : .ecdsaWithSHA256, extensions: extensions, issuerPrivateKey: issuerKey)
    }

    private static func newKey(_ algorithm: SigningAlgorithm) -> Certificate.PrivateKey {
        switch algorithm {
        case .ed25519: Certificate.PrivateKey(Curve25519.Signing.PrivateKey())
        case .es256: Certificate.PrivateKey(P256.Signing.PrivateKey())
        }
    }

    /// 16 random bytes, read as a positive number (RFC 5280 §4.1.2.2).
    private static func newSerialNumber() -> Certificate.SerialNumber {
        Certificate.SerialNumber(bytes: [UInt8.random(in: 1...0x7f)] + .random(15))
    }

    private static func name(_ commonName: String) throws -> DistinguishedName {
        try DistinguishedName {
            CountryName("US")
            OrganizationName("rial.")
            CommonName(commonName)
        }
    }

    private static func wholeSecond(_ date: Date) -> Date { Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)) }
}
