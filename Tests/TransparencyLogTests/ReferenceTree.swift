import CaptureProtocol
import TransparencyLog

/// RFC 6962 §2.1 word for word, over all leaves.
struct ReferenceTree {
    let leaves: [ContentDigest]

    /// Leaf `n` is hashed from the decimal of `n`.
    init(count: Int) { leaves = (0..<count).map { MerkleHash.leaf(Array("\($0)".utf8)) } }

    func root(_ size: Int) -> ContentDigest { Self.root(leaves[..<size]) }
    func path(_ index: Int, _ size: Int) -> [ContentDigest] { Self.path(index, leaves[..<size]) }
    func proof(_ old: Int, _ size: Int) -> [ContentDigest] { Self.subproof(old, leaves[..<size], true) }

    /// The root of a complete subtree, as a store of hashes would give it.
    func read(_ node: TreeNode) -> ContentDigest {
        let first = Int(node.index) << node.level
        return Self.root(leaves[first..<first + 1 << node.level])
    }

    static func root(_ leaves: ArraySlice<ContentDigest>) -> ContentDigest {
        guard let first = leaves.first else { return ContentDigest(of: [UInt8]()) }
        guard leaves.count > 1 else { return first }
        let (left, right) = halves(leaves)
        return ContentDigest(of: [1] + root(left).bytes + root(right).bytes)
    }

    private static func path(_ index: Int, _ leaves: ArraySlice<ContentDigest>) -> [ContentDigest] {
        guard leaves.count > 1 else { return [] }
        let (left, right) = halves(leaves)
        return index < left.count ? path(index, left) + [root(right)] : path(index - left.count, right) + [root(left)]
    }

    private static func subproof(_ old: Int, _ leaves: ArraySlice<ContentDigest>, _ isKnown: Bool) -> [ContentDigest] {
        guard old < leaves.count else { return isKnown ? [] : [root(leaves)] }
        let (left, right) = halves(leaves)
        return old <= left.count
            ? subproof(old, left, isKnown) + [root(right)] : subproof(old - left.count, right, false) + [root(left)]
    }

    private static func halves(_ leaves: ArraySlice<ContentDigest>) -> (ArraySlice<ContentDigest>, ArraySlice<ContentDigest>) {
        var split = 1
        while split * 2 < leaves.count { split *= 2 }
        return (leaves.prefix(split), leaves.dropFirst(split))
    }
}
