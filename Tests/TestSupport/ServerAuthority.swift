public import Crypto
import Foundation
public import NIOSSL
import SwiftASN1
import X509

/// A certificate authority for servers on loopback.
public struct ServerAuthority: Sendable {
    private let key: Certificate.PrivateKey
    private let certificate: Certificate
    private let validity = DateInterval(start: Date().addingTimeInterval(-3600), duration: 86_400)

    public init() throws {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let name = try DistinguishedName { CommonName("Authority \(UUID().uuidString)") }
        self.key = key
        certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.publicKey, notValidBefore: validity.start, notValidAfter: validity.end,
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
                SubjectKeyIdentifier(hash: key.publicKey)
            },
            issuerPrivateKey: key)
    }

    /// For those who trust it.
    public var pem: [UInt8] { get throws { Array(try certificate.serializeAsPEM().pemString.utf8) } }

    /// What a server needs to have this key and name.
    public func server(
        _ serverKey: P256.Signing.PrivateKey, name: String = "localhost", expired: Bool = false
    ) throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate(bytes: Array(leafPEM(serverKey, name: name, expired: expired).utf8), format: .pem)
        let privateKey = try NIOSSLPrivateKey(bytes: Array(serverKey.pemRepresentation.utf8), format: .pem)
        return TLSConfiguration.makeServerConfiguration(certificateChain: [.certificate(chain)], privateKey: .privateKey(privateKey))
    }

    /// A server's certificate.
    public func leafPEM(_ serverKey: P256.Signing.PrivateKey, name: String = "localhost", expired: Bool = false) throws -> String {
        let leaf = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(serverKey.publicKey), notValidBefore: validity.start,
            notValidAfter: expired ? Date().addingTimeInterval(-60) : validity.end, issuer: certificate.subject,
            subject: try DistinguishedName { CommonName(name) }, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([.dnsName(name)])
                AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: key.publicKey).keyIdentifier)
            },
            issuerPrivateKey: key)
        return try leaf.serializeAsPEM().pemString
    }
}
