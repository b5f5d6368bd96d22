/// A complete subtree: over the 2^`level` leaves from `index` · 2^`level` on.
public struct TreeNode: Hashable, Sendable {
    /// 0 for leaves, at most 63.
    public let level: Int
    public let index: UInt64

    public init(level: Int, index: UInt64) {
        self.level = level
        self.index = index
    }
}
