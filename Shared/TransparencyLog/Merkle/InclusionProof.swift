public import CaptureProtocol

/// A proof that a leaf is in a tree (RFC 6962 §2.1.1).
public struct InclusionProof: Sendable, Equatable {
    /// The most hashes that a proof has: a leaf of a tree of 2^64 − 1.
    public static let maximumHashes = 64

    /// From the leaf's sibling up to the root's child.
    public let hashes: [ContentDigest]

    public init(hashes: [ContentDigest]) { self.hashes = hashes }

    /// Makes the proof of a leaf.
    /// - Parameters:
    ///   - size: leaves of the tree, more than `index`.
    ///   - read: the root of a complete subtree of that tree.
    /// - Throws: ``TransparencyLogError/Code/outOfRange`` if the tree has no such leaf, and what `read` throws.
    public init(index: UInt64, size: UInt64, read: (TreeNode) throws -> ContentDigest) throws {
        hashes = try Self.ranges(index: index, size: size).map { try $0.root(read) }
    }

    /// The complete subtrees of which the proof is made.
    /// - Throws: ``TransparencyLogError/Code/outOfRange`` if the tree has no such leaf.
    public static func nodes(index: UInt64, size: UInt64) throws(TransparencyLogError) -> [TreeNode] {
        try ranges(index: index, size: size).flatMap(\.nodes)
    }

    /// Whether the hashes lead from this leaf at this index to the root; all of them, and no more than that.
    /// - Parameter leaf: its hash, ``MerkleHash/leaf(_:)``.
    public func proves(_ leaf: ContentDigest, at index: UInt64, in head: TreeHead) -> Bool {
        root(leaf, at: index, size: head.size) == head.root
    }

    /// The root to which the hashes lead (RFC 9162 §2.1.3.2); `nil` if a proof of this leaf is not so long or the tree has no such leaf.
    public func root(_ leaf: ContentDigest, at index: UInt64, size: UInt64) -> ContentDigest? {
        guard index < size else { return nil }
        var path = PathToRoot(position: index, last: size - 1)
        var root = leaf
        for hash in hashes {
            switch path.climb() {
            case .left: root = MerkleHash.node(hash, root)
            case .right: root = MerkleHash.node(root, hash)
            case nil: return nil
            }
        }
        return path.isAtRoot ? root : nil
    }

    private static func ranges(index: UInt64, size: UInt64) throws(TransparencyLogError) -> [LeafRange] {
        guard index < size else { throw TransparencyLogError(.outOfRange, "the tree has no such leaf") }
        return LeafRange.descend(size: size, to: index + 1) { $0.end - $0.start == 1 }.siblings.reversed()
    }
}
