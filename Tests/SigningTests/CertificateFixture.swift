import Crypto
import Foundation
import SwiftASN1
import X509

@testable import Signing

/// A chain of leaf and issuing authority, valid except for the changes of a test.
struct CertificateFixture {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let claimSigning = ExtendedKeyUsage.Usage(oid: [1, 3, 6, 1, 4, 1, 62558, 2, 1])
    static let documentSigning = ExtendedKeyUsage.Usage(oid: [1, 3, 6, 1, 5, 5, 7, 3, 36])

    var version = Certificate.Version.v3
    var leafKey = Certificate.PrivateKey(Curve25519.Signing.PrivateKey())
    var leafSubject = name("Leaf")
    var leafIssuer = name("Issuing")
    var leafConstraints: BasicConstraints? = .notCertificateAuthority
    var leafUsage: KeyUsage? = KeyUsage(digitalSignature: true)
    var leafPurposes: [ExtendedKeyUsage.Usage]? = [.emailProtection]
    var leafAuthorityKey: [UInt8]?? = .none
    var leafExtra: [Certificate.Extension] = []
    var leafValidity = DateInterval(start: now.addingTimeInterval(-3_600), duration: 86_400)

    var issuingKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
    var issuingConstraints = BasicConstraints.isCertificateAuthority(maxPathLength: 0)
    var issuingUsage: KeyUsage? = KeyUsage(keyCertSign: true)
    var issuingExtra: [Certificate.Extension] = []
    var issuingValidity = DateInterval(start: now.addingTimeInterval(-7_200), duration: 172_800)
    /// The key that signs the leaf; by default the issuing authority's.
    var signsLeaf: Certificate.PrivateKey?
    let rootKey = Certificate.PrivateKey(P256.Signing.PrivateKey())

    static func name(_ commonName: String) -> DistinguishedName {
        (try? DistinguishedName {
            OrganizationName("Test")
            CommonName(commonName)
        }) ?? DistinguishedName()
    }

    func leaf() throws -> Certificate {
        let identifier = SubjectKeyIdentifier(hash: issuingKey.publicKey).keyIdentifier
        var extensions = Certificate.Extensions()
        if let leafConstraints { try extensions.append(Certificate.Extension(leafConstraints, critical: true)) }
        if let leafUsage { try extensions.append(Certificate.Extension(leafUsage, critical: true)) }
        if let leafPurposes { try extensions.append(Certificate.Extension(ExtendedKeyUsage(leafPurposes), critical: false)) }
        switch leafAuthorityKey {
        case .none: try extensions.append(Certificate.Extension(AuthorityKeyIdentifier(keyIdentifier: identifier), critical: false))
        case .some(.none): break
        case .some(.some(let other)):
            try extensions.append(Certificate.Extension(AuthorityKeyIdentifier(keyIdentifier: other[...]), critical: false))
        }
        for extra in leafExtra { try extensions.append(extra) }
        return try certificate(
            leafKey.publicKey, leafSubject, issuer: leafIssuer, leafValidity, extensions, by: signsLeaf ?? issuingKey, version: version)
    }

    func issuing() throws -> Certificate {
        var extensions = Certificate.Extensions()
        try extensions.append(Certificate.Extension(issuingConstraints, critical: true))
        if let issuingUsage { try extensions.append(Certificate.Extension(issuingUsage, critical: true)) }
        try extensions.append(Certificate.Extension(SubjectKeyIdentifier(hash: issuingKey.publicKey), critical: false))
        for extra in issuingExtra { try extensions.append(extra) }
        return try certificate(
            issuingKey.publicKey, Self.name("Issuing"), issuer: Self.name("Root"), issuingValidity, extensions, by: rootKey)
    }

    func root() throws -> Certificate {
        var extensions = Certificate.Extensions()
        try extensions.append(Certificate.Extension(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true))
        try extensions.append(Certificate.Extension(KeyUsage(keyCertSign: true), critical: true))
        return try certificate(rootKey.publicKey, Self.name("Root"), issuer: Self.name("Root"), issuingValidity, extensions, by: rootKey)
    }

    func chain() throws -> String { try Self.pem([leaf(), issuing()]) }

    static func pem(_ certificates: [Certificate]) throws -> String {
        try certificates.map { try $0.serializeAsPEM().pemString + "\n" }.joined()
    }

    static func unknownExtension(critical: Bool) -> Certificate.Extension {
        Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 99999, 1], critical: critical, value: [0x05, 0x00])
    }

    private func certificate(
        _ key: Certificate.PublicKey, _ subject: DistinguishedName, issuer: DistinguishedName, _ validity: DateInterval,
        _ extensions: Certificate.Extensions, by issuerKey: Certificate.PrivateKey, version: Certificate.Version = .v3
    ) throws -> Certificate {
        try Certificate(
            version: version, serialNumber: .init(), publicKey: key, notValidBefore: validity.start, notValidAfter: validity.end,
            issuer: issuer, subject: subject, extensions: version == .v3 ? extensions : Certificate.Extensions(),
            issuerPrivateKey: issuerKey)
    }
}
