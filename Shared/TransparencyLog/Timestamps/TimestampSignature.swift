import Crypto
import SwiftASN1
import X509

/// The CMS SignedData of a token (RFC 5652 §5.1, RFC 3161 §2.4.2): one signer, and attributes that it signs in the place of the content.
struct TimestampSignature {
    static let contentType: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 16, 1, 4]
    private static let signedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 2]
    /// Authorities send two to four. A verifier tries every path among them, and with several of one subject there may be thousands.
    private static let maximumCertificates = 6

    /// A TSTInfo in DER.
    let content: ArraySlice<UInt8>
    /// Those of a kind that is known here, with their DER.
    let certificates: [(certificate: Certificate, der: ArraySlice<UInt8>)]
    private let signer: TimestampSigner

    /// - Parameter token: a ContentInfo in BER.
    init(_ token: ASN1Node) throws {
        self = try BER.sequence(token, identifier: .sequence) { nodes in
            guard try ASN1ObjectIdentifier(berEncoded: &nodes) == Self.signedData else { throw ASN1Reading.Malformed.form }
            return try BER.explicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { node in
                try BER.sequence(node, identifier: .sequence) { try Self(&$0) }
            }
        }
    }

    private init(_ nodes: inout ASN1NodeCollection.Iterator) throws {
        _ = try Int(berEncoded: &nodes)
        // The digest algorithms; the signer repeats its own.
        _ = try ASN1Reading.next(&nodes)
        content = try BER.sequence(try ASN1Reading.next(&nodes), identifier: .sequence) { nodes in
            guard try ASN1ObjectIdentifier(berEncoded: &nodes) == Self.contentType else { throw ASN1Reading.Malformed.form }
            return try BER.explicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { try ASN1OctetString(berEncoded: $0).bytes }
        }
        var certificates: [ASN1Node] = []
        var signers: [ASN1Node] = []
        while let node = nodes.next() {
            switch node.identifier {
            case ASN1Reading.tag(0): certificates = try ASN1Reading.elements(node, ASN1Reading.tag(0))
            case .set: signers = try ASN1Reading.elements(node, .set)
            // Revocation lists, which are not used.
            default: continue
            }
        }
        guard let signer = signers.first, signers.count == 1, certificates.count <= Self.maximumCertificates else {
            throw ASN1Reading.Malformed.form
        }
        self.certificates = certificates.compactMap { node in
            (try? Certificate(derEncoded: node)).map { ($0, node.encodedBytes) }
        }
        self.signer = try TimestampSigner(signer)
    }

    /// The certificate whose key signed the content; `nil` if none of the token's did.
    func verifiedSigner() -> Certificate? {
        let made = certificates.first { signer.isNamed($0.certificate) }
        guard let made, let digest = TimestampAlgorithm.digest(content, by: signer.digestAlgorithm),
            signer.attributes.contentType == Self.contentType, signer.attributes.messageDigest == digest,
            signer.attributes.names(certificate: made.der),
            let algorithm = TimestampAlgorithm.signature(signer.signatureAlgorithm, digest: signer.digestAlgorithm),
            made.certificate.publicKey.isValidSignature(signer.signature, for: signer.attributes.signedBytes, signatureAlgorithm: algorithm)
        else { return nil }
        return made.certificate
    }
}

/// A SignerInfo (RFC 5652 §5.3).
struct TimestampSigner {
    private enum Name {
        case issuer(DistinguishedName, serialNumber: Certificate.SerialNumber)
        case key(ArraySlice<UInt8>)
    }
    let digestAlgorithm: ASN1ObjectIdentifier
    let attributes: TimestampAttributes
    let signatureAlgorithm: ASN1ObjectIdentifier
    let signature: ArraySlice<UInt8>
    private let name: Name

    init(_ node: ASN1Node) throws {
        self = try BER.sequence(node, identifier: .sequence) { nodes in
            let signer = try Self(&nodes)
            // Unsigned attributes may follow, and prove nothing.
            while nodes.next() != nil {}
            return signer
        }
    }

    private init(_ nodes: inout ASN1NodeCollection.Iterator) throws {
        _ = try Int(berEncoded: &nodes)
        let signer = try ASN1Reading.next(&nodes)
        if signer.identifier == ASN1Reading.tag(0) {
            name = .key(try ASN1OctetString(berEncoded: signer, withIdentifier: ASN1Reading.tag(0)).bytes)
        } else {
            name = try BER.sequence(signer, identifier: .sequence) { nodes in
                let issuer = try DistinguishedName(derEncoded: try ASN1Reading.next(&nodes))
                return .issuer(issuer, serialNumber: .init(bytes: try ArraySlice<UInt8>(berEncoded: &nodes)))
            }
        }
        digestAlgorithm = try ASN1Reading.algorithm(&nodes)
        attributes = try TimestampAttributes(try ASN1Reading.next(&nodes))
        signatureAlgorithm = try ASN1Reading.algorithm(&nodes)
        signature = try ASN1OctetString(berEncoded: &nodes).bytes
    }

    func isNamed(_ certificate: Certificate) -> Bool {
        switch name {
        case .issuer(let issuer, let serialNumber): certificate.issuer == issuer && certificate.serialNumber == serialNumber
        case .key(let identifier): (try? certificate.extensions.subjectKeyIdentifier)?.keyIdentifier == identifier
        }
    }
}
