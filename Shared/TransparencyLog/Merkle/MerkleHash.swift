public import CaptureProtocol
import Crypto
public import Foundation

/// Hashes of a Merkle tree with SHA-256 (RFC 6962 §2.1).
public enum MerkleHash {
    /// The root of a tree without leaves.
    public static let empty = ContentDigest(of: [UInt8]())

    /// SHA-256(0x00 ‖ entry).
    public static func leaf(_ entry: some DataProtocol) -> ContentDigest {
        var hasher = SHA256()
        hasher.update(data: [0])
        hasher.update(data: entry)
        return ContentDigest(hasher.finalize())
    }

    /// SHA-256(0x01 ‖ left ‖ right).
    public static func node(_ left: ContentDigest, _ right: ContentDigest) -> ContentDigest {
        var hasher = SHA256()
        hasher.update(data: [1])
        hasher.update(data: left.bytes)
        hasher.update(data: right.bytes)
        return ContentDigest(hasher.finalize())
    }

    /// The root over leaf hashes.
    public static func root(ofLeaves leaves: some Sequence<ContentDigest>) -> ContentDigest {
        var frontier = MerkleFrontier()
        for leaf in leaves { frontier.append(leaf) }
        return frontier.root
    }

    /// The root over neighbouring complete subtrees, of which each is as large as the next or larger.
    static func root(of subtrees: [ContentDigest]) -> ContentDigest {
        guard let last = subtrees.last else { return empty }
        return subtrees.dropLast().reversed().reduce(last) { node($1, $0) }
    }
}
