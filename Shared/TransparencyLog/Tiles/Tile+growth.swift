extension Tile {
    /// The tiles that a tree has and, smaller, did not have: all that became full, and the partial ones at its right edge.
    ///
    /// They are made one at a time, entry bundles first, then level by level.
    public static func added(from oldSize: UInt64, to newSize: UInt64) -> some Sequence<Tile> {
        let kinds = [Kind.entries] + (0...highestLevel).map { .hashes(level: $0) }
        return kinds.lazy.flatMap { kind in
            let (old, new) = (count(level: kind.level, size: oldSize), count(level: kind.level, size: newSize))
            // From the first tile that gets a hash to the last that has one.
            let indexes = old < new ? old >> 8..<((new - 1) >> 8) + 1 : 0..<0
            return indexes.lazy.compactMap { at(kind, index: $0, size: newSize) }
        }
    }

    /// The partial tiles of hashes at a tree's right edge, at most one a level.
    public static func edge(size: UInt64) -> [Tile] {
        (0...highestLevel).compactMap { at(.hashes(level: $0), index: count(level: $0, size: size) >> 8, size: size) }
    }

    /// The tile with the hashes of which a complete subtree's root is made, as a tree of this size has it; `nil` if the tree has no
    /// such subtree.
    public static func holding(_ node: TreeNode, size: UInt64) -> Tile? {
        guard (0...63).contains(node.level), node.index < size >> UInt64(node.level) else { return nil }
        let place = TilePlace(node)
        return at(.hashes(level: place.level), index: place.tile, size: size)
    }
}
