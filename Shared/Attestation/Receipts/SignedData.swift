import Crypto
import SwiftASN1
import X509

/// A CMS SignedData (RFC 5652 §5.1) with enclosed content and one signer, as in Apple's receipts: BER with indefinite lengths, the content
/// in several octet strings. The only algorithm is ECDSA over P-256 with SHA-256.
struct SignedData {
    static let identifier: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 2]
    /// Genuine receipts have three: the signer's, its issuer's and the root's. A verifier tries every path among them, and with several of
    /// one subject there may be thousands.
    static let maximumCertificates = 4
    let content: ArraySlice<UInt8>
    let certificates: [Certificate]
    private let signer: SignerInfo

    /// - Returns: `nil` for any other form.
    init?(_ bytes: [UInt8]) {
        guard let root = try? BER.parse(bytes), let data = try? Self.read(root) else { return nil }
        self = data
    }

    private init(content: ArraySlice<UInt8>, certificates: [Certificate], signer: SignerInfo) {
        self.content = content
        self.certificates = certificates
        self.signer = signer
    }

    /// The enclosed certificate whose key made the signature; `nil` if there is none or the signature does not verify.
    func verifiedSigner() -> Certificate? {
        guard
            let certificate = certificates.first(where: { $0.issuer == signer.issuer && $0.serialNumber == signer.serialNumber }),
            let key = P256.Signing.PublicKey(certificate.publicKey),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: signer.signature),
            key.isValidSignature(signature, for: content)
        else { return nil }
        return certificate
    }

    private enum Malformed: Error { case form }

    private static func read(_ root: ASN1Node) throws -> SignedData {
        try BER.sequence(root, identifier: .sequence) { nodes in
            guard try ASN1ObjectIdentifier(berEncoded: &nodes) == identifier else { throw Malformed.form }
            return try BER.explicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { signedData in
                try BER.sequence(signedData, identifier: .sequence) { nodes in
                    _ = try Int(berEncoded: &nodes)
                    // The digest algorithms; the signer repeats its own.
                    _ = nodes.next()
                    guard let enclosed = nodes.next() else { throw Malformed.form }
                    var certificates: [Certificate] = []
                    var signers: [SignerInfo] = []
                    while let node = nodes.next() {
                        guard case .constructed(let children) = node.content else { throw Malformed.form }
                        switch node.identifier {
                        case ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific):
                            certificates = try children.prefix(maximumCertificates + 1).map { try Certificate(derEncoded: $0) }
                        case .set: signers = try children.prefix(2).map(SignerInfo.init(berEncoded:))
                        default: continue
                        }
                    }
                    guard let signer = signers.first, signers.count == 1, certificates.count <= maximumCertificates,
                        Set(certificates.map(\.subject)).count == certificates.count
                    else { throw Malformed.form }
                    return SignedData(content: try content(of: enclosed), certificates: certificates, signer: signer)
                }
            }
        }
    }

    private static func content(of enclosed: ASN1Node) throws -> ArraySlice<UInt8> {
        try BER.sequence(enclosed, identifier: .sequence) { nodes in
            _ = try ASN1ObjectIdentifier(berEncoded: &nodes)
            return try BER.explicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { content in
                try ASN1OctetString(berEncoded: content).bytes
            }
        }
    }

    /// RFC 5652 §5.3, without signed attributes: genuine receipts have none, and the signature would then be over the attributes.
    private struct SignerInfo {
        static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
        static let ecdsaWithSHA256: ASN1ObjectIdentifier = [1, 2, 840, 10045, 4, 3, 2]
        let issuer: DistinguishedName
        let serialNumber: Certificate.SerialNumber
        let signature: ArraySlice<UInt8>

        init(berEncoded node: ASN1Node) throws {
            self = try BER.sequence(node, identifier: .sequence) { nodes in
                guard try Int(berEncoded: &nodes) == 1 else { throw Malformed.form }
                let (issuer, serial) = try BER.sequence(try Self.next(&nodes), identifier: .sequence) { nodes in
                    (try DistinguishedName(derEncoded: try Self.next(&nodes)), try ArraySlice<UInt8>(berEncoded: &nodes))
                }
                guard try Self.algorithm(&nodes) == Self.sha256, try Self.algorithm(&nodes) == Self.ecdsaWithSHA256 else {
                    throw Malformed.form
                }
                let signature = try ASN1OctetString(berEncoded: &nodes).bytes
                // Unsigned attributes may follow, and are ignored.
                while nodes.next() != nil {}
                return Self(issuer: issuer, serialNumber: .init(bytes: serial), signature: signature)
            }
        }

        private init(issuer: DistinguishedName, serialNumber: Certificate.SerialNumber, signature: ArraySlice<UInt8>) {
            self.issuer = issuer
            self.serialNumber = serialNumber
            self.signature = signature
        }

        private static func next(_ nodes: inout ASN1NodeCollection.Iterator) throws -> ASN1Node {
            guard let node = nodes.next() else { throw Malformed.form }
            return node
        }

        /// The identifier alone; parameters are NULL or absent in these two.
        private static func algorithm(_ nodes: inout ASN1NodeCollection.Iterator) throws -> ASN1ObjectIdentifier {
            try BER.sequence(try next(&nodes), identifier: .sequence) { nodes in
                let identifier = try ASN1ObjectIdentifier(berEncoded: &nodes)
                while nodes.next() != nil {}
                return identifier
            }
        }
    }
}
