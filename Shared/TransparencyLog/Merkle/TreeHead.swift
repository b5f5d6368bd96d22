public import CaptureProtocol

/// Size and root of a tree.
public struct TreeHead: Hashable, Sendable {
    /// The number of leaves.
    public let size: UInt64
    public let root: ContentDigest

    public init(size: UInt64, root: ContentDigest) {
        self.size = size
        self.root = root
    }

    /// The tree without leaves.
    public static let empty = TreeHead(size: 0, root: MerkleHash.empty)
}
