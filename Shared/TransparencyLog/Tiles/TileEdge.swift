public import CaptureProtocol

/// The partial tiles at the right edge of a growing tree, which make the full ones.
public struct TileEdge: Sendable, Equatable {
    /// A tile of hashes with its content.
    public typealias Content = (tile: Tile, hashes: [ContentDigest])

    /// The number of leaves.
    public private(set) var size: UInt64
    /// The hashes of each level that are in no full tile, at most 255.
    private var levels: [[ContentDigest]]

    /// The edge of a tree without leaves.
    public init() {
        size = 0
        levels = Array(repeating: [], count: Tile.highestLevel + 1)
    }

    /// Puts the edge of a stored tree together.
    /// - Parameter read: hashes of one of ``Tile/edge(size:)``.
    /// - Throws: ``TransparencyLogError/Code/malformedTile`` if there are not as many hashes as the tile is wide, and what `read` throws.
    public init(size: UInt64, read: (Tile) throws -> [ContentDigest]) throws {
        self.init()
        self.size = size
        for tile in Tile.edge(size: size) {
            let hashes = try read(tile)
            guard hashes.count == tile.width else { throw TransparencyLogError(.malformedTile, "is not the hashes of the tile") }
            levels[tile.kind.level] = hashes
        }
    }

    /// Adds the next leaf hash. A tree of 2^64 − 1 leaves takes no more and stays as it is.
    /// - Returns: the tiles that became full, the lowest level first; mostly none.
    public mutating func append(_ leaf: ContentDigest) -> [Content] {
        guard size < .max else { return [] }
        size += 1
        var filled: [Content] = []
        var hash = leaf
        for level in levels.indices {
            levels[level].append(hash)
            guard levels[level].count == Tile.fullWidth, let tile = Tile.at(.hashes(level: level), index: lastIndex(level), size: size)
            else { break }
            filled.append((tile, levels[level]))
            hash = MerkleHash.root(ofLeaves: levels[level])
            levels[level] = []
        }
        return filled
    }

    /// The partial tiles, at most one a level.
    public var partialTiles: [Content] { Tile.edge(size: size).map { ($0, levels[$0.kind.level]) } }

    /// The complete subtrees at the edge, with the tree's root.
    public var frontier: MerkleFrontier {
        let subtrees = levels.reversed().flatMap { hashes in
            LeafRange(start: 0, end: UInt64(hashes.count)).nodes.map { node in
                let first = Int(node.index) << node.level
                return MerkleHash.root(ofLeaves: hashes[first..<first + 1 << node.level])
            }
        }
        return MerkleFrontier(unchecked: size, subtrees: subtrees)
    }

    /// The index of the last tile of a level that has hashes.
    private func lastIndex(_ level: Int) -> UInt64 { (Tile.count(level: level, size: size) - 1) >> 8 }
}
