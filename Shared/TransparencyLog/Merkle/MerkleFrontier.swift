public import CaptureProtocol

/// The right edge of a growing tree: the roots of the complete subtrees that make it up, at most 64.
public struct MerkleFrontier: Sendable, Equatable {
    /// The number of leaves.
    public private(set) var size: UInt64
    /// Roots of the complete subtrees, the largest and leftmost first: one for each bit that is set in ``size``.
    public private(set) var subtrees: [ContentDigest]

    /// The edge of a tree without leaves.
    public init() {
        size = 0
        subtrees = []
    }

    /// Puts a kept edge together again; `nil` if the tree has not so many complete subtrees.
    public init?(size: UInt64, subtrees: [ContentDigest]) {
        guard subtrees.count == size.nonzeroBitCount else { return nil }
        self.init(unchecked: size, subtrees: subtrees)
    }

    init(unchecked size: UInt64, subtrees: [ContentDigest]) {
        self.size = size
        self.subtrees = subtrees
    }

    /// Reads the edge of a stored tree.
    /// - Parameter read: the root of a complete subtree.
    /// - Throws: what `read` throws.
    public init(size: UInt64, read: (TreeNode) throws -> ContentDigest) rethrows {
        self.size = size
        subtrees = try Self.nodes(size: size).map(read)
    }

    /// The complete subtrees at the edge of a tree, as in ``subtrees``.
    public static func nodes(size: UInt64) -> [TreeNode] { LeafRange(start: 0, end: size).nodes }

    public var root: ContentDigest { MerkleHash.root(of: subtrees) }
    public var head: TreeHead { TreeHead(size: size, root: root) }

    /// Adds the next leaf. A tree of 2^64 − 1 leaves takes no more and stays as it is.
    /// - Parameters:
    ///   - leaf: its hash.
    ///   - completed: called for every subtree that the leaf completes, the leaf itself first, with the subtree's root.
    public mutating func append(_ leaf: ContentDigest, completed: (TreeNode, ContentDigest) -> Void = { _, _ in }) {
        guard size < .max else { return }
        var root = leaf
        completed(TreeNode(level: 0, index: size), root)
        for level in 0..<size.trailingOneBitCount {
            guard let left = subtrees.popLast() else { break }
            root = MerkleHash.node(left, root)
            completed(TreeNode(level: level + 1, index: size >> UInt64(level + 1)), root)
        }
        subtrees.append(root)
        size += 1
    }
}

extension UInt64 {
    fileprivate var trailingOneBitCount: Int { (~self).trailingZeroBitCount }
}
