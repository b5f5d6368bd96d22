import Crypto
import SwiftASN1

/// The attributes that a time-stamp authority signs: type and digest of the content, and which certificate is its own (RFC 3161 §2.4.2,
/// RFC 5816), so that no other certificate of the same key can be put in its place.
struct TimestampAttributes {
    private enum Identifier {
        static let contentType: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 3]
        static let messageDigest: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 4]
        static let certificate: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 16, 2, 12]
        static let certificateV2: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 16, 2, 47]
    }
    /// What the signature is over: the attributes as a SET (RFC 5652 §5.4).
    let signedBytes: [UInt8]
    let contentType: ASN1ObjectIdentifier
    let messageDigest: [UInt8]
    /// Digests of the signer's certificate, each by its algorithm; `nil` is SHA-1, of the first version of the attribute. At least one.
    private let certificateDigests: [(algorithm: ASN1ObjectIdentifier?, digest: ArraySlice<UInt8>)]

    init(_ node: ASN1Node) throws {
        var values: [ASN1ObjectIdentifier: ASN1Node] = [:]
        for attribute in try ASN1Reading.elements(node, ASN1Reading.tag(0)) {
            try DER.sequence(attribute, identifier: .sequence) { nodes in
                let type = try ASN1ObjectIdentifier(derEncoded: &nodes)
                let contents = try ASN1Reading.elements(try ASN1Reading.next(&nodes), .set)
                guard let content = contents.first, contents.count == 1, values.updateValue(content, forKey: type) == nil else {
                    throw ASN1Reading.Malformed.form
                }
            }
        }
        guard let contentType = values[Identifier.contentType], let messageDigest = values[Identifier.messageDigest] else {
            throw ASN1Reading.Malformed.form
        }
        // The tag [0] IMPLICIT stands in the place of SET; both are one byte.
        signedBytes = [0x31] + node.encodedBytes.dropFirst()
        self.contentType = try ASN1ObjectIdentifier(derEncoded: contentType)
        self.messageDigest = Array(try ASN1OctetString(derEncoded: messageDigest).bytes)
        certificateDigests =
            try (values[Identifier.certificate].map { [try Self.certificateDigest($0, isFirstVersion: true)] } ?? [])
            + (values[Identifier.certificateV2].map { [try Self.certificateDigest($0, isFirstVersion: false)] } ?? [])
    }

    /// Whether the signer says that this is its certificate.
    /// - Parameter der: the certificate as it is in the token.
    func names(certificate der: ArraySlice<UInt8>) -> Bool {
        !certificateDigests.isEmpty
            && certificateDigests.allSatisfy { algorithm, digest in
                guard let algorithm else { return Insecure.SHA1.hash(data: der) == digest }
                return TimestampAlgorithm.digest(der, by: algorithm)?.elementsEqual(digest) == true
            }
    }

    /// The first certificate of a SigningCertificate or SigningCertificateV2 (RFC 5035 §3, §4).
    private static func certificateDigest(
        _ node: ASN1Node, isFirstVersion: Bool
    ) throws -> (algorithm: ASN1ObjectIdentifier?, digest: ArraySlice<UInt8>) {
        guard let list = try ASN1Reading.elements(node, .sequence).first, let first = try ASN1Reading.elements(list, .sequence).first else {
            throw ASN1Reading.Malformed.form
        }
        var fields = try ASN1Reading.elements(first, .sequence)[...]
        var algorithm: ASN1ObjectIdentifier? = isFirstVersion ? nil : TimestampAlgorithm.sha256
        if !isFirstVersion, let field = fields.first, field.identifier == .sequence {
            algorithm = try ASN1Reading.algorithm(field)
            fields = fields.dropFirst()
        }
        guard let digest = fields.first else { throw ASN1Reading.Malformed.form }
        return (algorithm, try ASN1OctetString(derEncoded: digest).bytes)
    }
}
