import CaptureProtocol

/// A run of leaves whose root a proof needs. Begins at a multiple of the least power of two that is not below its length.
struct LeafRange: Equatable {
    let start: UInt64
    /// Exclusive.
    let end: UInt64

    /// The complete subtrees that make it up, from left to right.
    var nodes: [TreeNode] {
        var nodes: [TreeNode] = []
        var start = start
        while start < end {
            let level = min(start.trailingZeroBitCount, 63 - (end - start).leadingZeroBitCount)
            nodes.append(TreeNode(level: level, index: start >> UInt64(level)))
            start += 1 << UInt64(level)
        }
        return nodes
    }

    /// Its root, from hashes of complete subtrees.
    func root(_ read: (TreeNode) throws -> ContentDigest) rethrows -> ContentDigest { MerkleHash.root(of: try nodes.map(read)) }

    /// Where RFC 6962 §2.1 splits a tree of this many leaves (at least two): the largest power of two below.
    static func split(_ count: UInt64) -> UInt64 { 1 << UInt64(63 - (count - 1).leadingZeroBitCount) }

    /// Goes down from the whole tree, at each split to the side with the leaf before `end`, until `isLast`.
    /// - Parameter end: between 1 and `size`.
    /// - Returns: where the way ends, and the sides that were not taken, the uppermost first.
    static func descend(size: UInt64, to end: UInt64, until isLast: (LeafRange) -> Bool) -> (siblings: [LeafRange], last: LeafRange) {
        var siblings: [LeafRange] = []
        var range = LeafRange(start: 0, end: size)
        while !isLast(range), range.end - range.start > 1 {
            let middle = range.start + split(range.end - range.start)
            let (left, right) = (LeafRange(start: range.start, end: middle), LeafRange(start: middle, end: range.end))
            siblings.append(end <= middle ? right : left)
            range = end <= middle ? left : right
        }
        return (siblings, range)
    }
}
