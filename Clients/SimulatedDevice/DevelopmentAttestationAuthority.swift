import CaptureProtocol
import Crypto
public import Foundation
import SwiftASN1
import X509

/// A certificate authority with Apple's certificate profile and its own root: P-384 root and intermediate, P-256 leaves.
///
/// Only an installation in development mode that is configured with ``rootPEM`` trusts it.
public struct DevelopmentAttestationAuthority: Sendable {
    let root: Certificate
    let intermediate: Certificate
    let intermediateKey: P384.Signing.PrivateKey
    /// The root certificate, for `RIAL_APP_ATTEST_EXTRA_ROOTS`.
    public let rootPEM: String

    /// Makes a root and an intermediate, valid from a day before `time` for ten years.
    public init(at time: Date = Date()) throws { try self.init(at: time, intermediate: nil) }

    /// - Parameter defect: of the intermediate.
    init(at time: Date, intermediate defect: IntermediateDefect?) throws {
        let rootKey = P384.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("rial development attestation root") }
        let start = time.addingTimeInterval(-86_400)
        let end = time.addingTimeInterval(3650 * 86_400)
        let root = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(rootKey.publicKey), notValidBefore: start, notValidAfter: end,
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA384, extensions: Self.authorityExtensions(),
            issuerPrivateKey: .init(rootKey))
        let key = P384.Signing.PrivateKey()
        let intermediate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: start, notValidAfter: end,
            issuer: name, subject: try DistinguishedName { CommonName("rial development attestation CA 1") },
            signatureAlgorithm: .ecdsaWithSHA384, extensions: Self.authorityExtensions(defect), issuerPrivateKey: .init(rootKey))
        try self.init(root: root, intermediate: intermediate, key: key)
    }

    private init(root: Certificate, intermediate: Certificate, key: P384.Signing.PrivateKey) throws {
        self.root = root
        self.intermediate = intermediate
        intermediateKey = key
        rootPEM = try root.serializeAsPEM().pemString + "\n"
    }

    /// Loads the authority from `directory` (`root.pem`, `intermediate.pem`, `intermediate-key.pem`), or creates it there.
    public static func loadOrCreate(in directory: URL) throws -> DevelopmentAttestationAuthority {
        let files = ["root.pem", "intermediate.pem", "intermediate-key.pem"].map(directory.appendingPathComponent)
        if files.allSatisfy({ FileManager.default.fileExists(atPath: $0.path) }) {
            let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
            return try DevelopmentAttestationAuthority(
                root: Certificate(pemEncoded: texts[0]), intermediate: Certificate(pemEncoded: texts[1]),
                key: P384.Signing.PrivateKey(pemRepresentation: texts[2]))
        }
        let authority = try DevelopmentAttestationAuthority()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let key = authority.intermediateKey.pemRepresentation + "\n"
        try Data(key.utf8).write(to: files[2])
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files[2].path)
        try Data((authority.intermediate.serializeAsPEM().pemString + "\n").utf8).write(to: files[1])
        try Data(authority.rootPEM.utf8).write(to: files[0])
        return authority
    }

    /// Issues a leaf for the key.
    /// - Parameter nonce: in Apple's extension; `nil` for a leaf without it.
    func leaf(
        _ publicKey: P256.Signing.PublicKey, nonce: [UInt8]?, validFrom start: Date, to end: Date, isAuthority: Bool = false,
        signedBy key: P384.Signing.PrivateKey? = nil
    ) throws -> Certificate {
        let value = try nonce.map(Self.nonceExtension)
        let extensions = try Certificate.Extensions {
            if isAuthority {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            } else {
                Critical(BasicConstraints.notCertificateAuthority)
            }
            Critical(KeyUsage(digitalSignature: true))
            if let value {
                Certificate.Extension(oid: [1, 2, 840, 113635, 100, 8, 2], critical: false, value: value[...])
            }
        }
        return try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(publicKey), notValidBefore: start, notValidAfter: end,
            issuer: intermediate.subject,
            subject: try DistinguishedName { CommonName(Hex.encode(SHA256.hash(data: publicKey.x963Representation))) },
            signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions, issuerPrivateKey: .init(key ?? intermediateKey))
    }

    private static func authorityExtensions(_ defect: IntermediateDefect? = nil) throws -> Certificate.Extensions {
        try Certificate.Extensions {
            if defect == .notAuthority {
                Critical(BasicConstraints.notCertificateAuthority)
            } else {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            }
            if defect != .noKeyUsage {
                Critical(KeyUsage(keyCertSign: defect != .notForCertificates, cRLSign: true))
            }
            if defect == .unknownCriticalExtension {
                Certificate.Extension(oid: [1, 2, 840, 113635, 100, 8, 99], critical: true, value: [5, 0])
            }
        }
    }

    /// `SEQUENCE { [1] EXPLICIT OCTET STRING }`.
    private static func nonceExtension(_ nonce: [UInt8]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { serializer in
            try serializer.serialize(
                ASN1OctetString(contentBytes: nonce[...]), explicitlyTaggedWithTagNumber: 1, tagClass: .contextSpecific)
        }
        return serializer.serializedBytes
    }
}

extension Certificate {
    /// The certificate's DER.
    var der: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return serializer.serializedBytes
        }
    }
}
