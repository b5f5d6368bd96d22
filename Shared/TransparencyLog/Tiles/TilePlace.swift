/// Where a complete subtree's hashes stand.
struct TilePlace {
    let level: Int
    /// Index of the tile in its level.
    let tile: UInt64
    /// Which of the tile's hashes make up the subtree; 1 to 128 of them.
    let hashes: Range<Int>

    /// - Parameter node: of a tree with at most 2^64 − 1 leaves.
    init(_ node: TreeNode) {
        level = node.level / 8
        let height = node.level % 8
        let first = node.index << UInt64(height)
        tile = first >> 8
        hashes = Int(first & 255)..<Int(first & 255) + (1 << height)
    }
}
