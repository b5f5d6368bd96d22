public import CaptureProtocol

/// A proof that a tree begins with the leaves of an earlier one (RFC 6962 §2.1.2).
public struct ConsistencyProof: Sendable, Equatable {
    /// The most hashes that a proof of trees below 2^63 leaves has; c2sp.org/tlog-witness takes no more.
    public static let maximumHashes = 63

    public let hashes: [ContentDigest]

    public init(hashes: [ContentDigest]) { self.hashes = hashes }

    /// Makes the proof between two sizes of a tree; it is empty if they are equal or the first is 0.
    /// - Parameter read: the root of a complete subtree of the tree with `newSize` leaves.
    /// - Throws: ``TransparencyLogError/Code/outOfRange`` if `oldSize` is above `newSize`, and what `read` throws.
    public init(from oldSize: UInt64, to newSize: UInt64, read: (TreeNode) throws -> ContentDigest) throws {
        hashes = try Self.ranges(from: oldSize, to: newSize).map { try $0.root(read) }
    }

    /// The complete subtrees of which the proof is made.
    /// - Throws: ``TransparencyLogError/Code/outOfRange`` if `oldSize` is above `newSize`.
    public static func nodes(from oldSize: UInt64, to newSize: UInt64) throws(TransparencyLogError) -> [TreeNode] {
        try ranges(from: oldSize, to: newSize).flatMap(\.nodes)
    }

    /// Whether the hashes lead to both roots (RFC 9162 §2.1.4.2). Nothing is proved about a tree without leaves.
    public func proves(_ old: TreeHead, isPrefixOf new: TreeHead) -> Bool {
        guard old.size > 0, old.size <= new.size else { return false }
        guard old.size < new.size else { return hashes.isEmpty && old.root == new.root }
        // If the old tree is one complete subtree, its root begins the path and is not sent.
        var rest = hashes[...]
        var path = PathToRoot(position: old.size - 1, last: new.size - 1)
        path.skipRightChildren()
        guard let first = path.position == 0 ? old.root : rest.popFirst() else { return false }
        var (oldRoot, newRoot) = (first, first)
        for hash in rest {
            switch path.climb() {
            case .left:
                oldRoot = MerkleHash.node(hash, oldRoot)
                newRoot = MerkleHash.node(hash, newRoot)
            case .right: newRoot = MerkleHash.node(newRoot, hash)
            case nil: return false
            }
        }
        return path.isAtRoot && oldRoot == old.root && newRoot == new.root
    }

    private static func ranges(from oldSize: UInt64, to newSize: UInt64) throws(TransparencyLogError) -> [LeafRange] {
        guard oldSize <= newSize else { throw TransparencyLogError(.outOfRange, "the old tree is larger than the new one") }
        guard oldSize > 0, oldSize < newSize else { return [] }
        // RFC 6962 SUBPROOF: down to the subtree that ends where the old tree does.
        let way = LeafRange.descend(size: newSize, to: oldSize) { $0.end == oldSize }
        // Whoever verifies knows the root of the whole old tree.
        return (way.siblings + (way.last.start > 0 ? [way.last] : [])).reversed()
    }
}
