import Crypto
import SwiftASN1
import X509

/// The algorithms that tokens may use: SHA-2 with RSA (PKCS #1 v1.5), with ECDSA, or inside Ed25519 (RFC 5754, RFC 8419).
enum TimestampAlgorithm {
    static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
    private static let sha384: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 2]
    private static let sha512: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 3]
    /// The signer's digest algorithm says with which hash.
    private static let rsa: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 1]

    /// `nil` for a hash that is not used here.
    static func digest(_ bytes: ArraySlice<UInt8>, by algorithm: ASN1ObjectIdentifier) -> [UInt8]? {
        switch algorithm {
        case sha256: Array(SHA256.hash(data: bytes))
        case sha384: Array(SHA384.hash(data: bytes))
        case sha512: Array(SHA512.hash(data: bytes))
        default: nil
        }
    }

    /// - Returns: `nil` for an algorithm that is not used here, or one that contradicts the digest algorithm.
    static func signature(_ algorithm: ASN1ObjectIdentifier, digest: ASN1ObjectIdentifier) -> Certificate.SignatureAlgorithm? {
        let known: [(identifier: ASN1ObjectIdentifier, digest: ASN1ObjectIdentifier, algorithm: Certificate.SignatureAlgorithm)] = [
            (rsa, sha256, .sha256WithRSAEncryption), (rsa, sha384, .sha384WithRSAEncryption), (rsa, sha512, .sha512WithRSAEncryption),
            ([1, 2, 840, 113549, 1, 1, 11], sha256, .sha256WithRSAEncryption),
            ([1, 2, 840, 113549, 1, 1, 12], sha384, .sha384WithRSAEncryption),
            ([1, 2, 840, 113549, 1, 1, 13], sha512, .sha512WithRSAEncryption),
            ([1, 2, 840, 10045, 4, 3, 2], sha256, .ecdsaWithSHA256), ([1, 2, 840, 10045, 4, 3, 3], sha384, .ecdsaWithSHA384),
            ([1, 2, 840, 10045, 4, 3, 4], sha512, .ecdsaWithSHA512), ([1, 3, 101, 112], sha512, .ed25519),
        ]
        return known.first { $0.identifier == algorithm && $0.digest == digest }?.algorithm
    }
}

/// What the readers of ASN.1 here have in common.
enum ASN1Reading {
    enum Malformed: Error { case form }

    static func next(_ nodes: inout ASN1NodeCollection.Iterator) throws -> ASN1Node {
        guard let node = nodes.next() else { throw Malformed.form }
        return node
    }

    /// An AlgorithmIdentifier without parameters, or with NULL.
    static func algorithm(_ nodes: inout ASN1NodeCollection.Iterator) throws -> ASN1ObjectIdentifier {
        try algorithm(try next(&nodes))
    }

    static func algorithm(_ node: ASN1Node) throws -> ASN1ObjectIdentifier {
        try BER.sequence(node, identifier: .sequence) { nodes in
            let identifier = try ASN1ObjectIdentifier(berEncoded: &nodes)
            if let parameters = nodes.next() { _ = try ASN1Null(berEncoded: parameters) }
            return identifier
        }
    }

    static func elements(_ node: ASN1Node, _ identifier: ASN1Identifier) throws -> [ASN1Node] {
        guard node.identifier == identifier, case .constructed(let nodes) = node.content else { throw Malformed.form }
        return Array(nodes)
    }

    static func tag(_ number: UInt) -> ASN1Identifier { ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific) }
}
