public import CaptureProtocol

/// Hashes of the tiles that were read, and the roots of subtrees that follow from them.
///
/// They prove nothing by themselves: a proof or a root made of them must be compared with a signed root.
public struct TileHashes: Sendable {
    private struct Position: Hashable {
        let level: Int
        let index: UInt64
    }

    private var tiles: [Position: [ContentDigest]] = [:]

    public init() {}

    /// Adds a tile of hashes; of two at one position the wider is kept.
    /// - Throws: ``TransparencyLogError/Code/malformedTile`` for entries, or if there are not as many hashes as the tile is wide.
    public mutating func add(_ tile: Tile, _ hashes: [ContentDigest]) throws(TransparencyLogError) {
        guard case .hashes(let level) = tile.kind, hashes.count == tile.width else {
            throw TransparencyLogError(.malformedTile, "is not the hashes of the tile")
        }
        let position = Position(level: level, index: tile.index)
        if (tiles[position] ?? []).count < hashes.count { tiles[position] = hashes }
    }

    /// The root of a complete subtree.
    /// - Throws: ``TransparencyLogError/Code/tileMissing`` if its tile was not added, or is too narrow.
    public func root(of node: TreeNode) throws(TransparencyLogError) -> ContentDigest {
        let place = TilePlace(node)
        guard let tile = tiles[Position(level: place.level, index: place.tile)], place.hashes.upperBound <= tile.count else {
            throw TransparencyLogError(.tileMissing, "tile \(place.tile) of level \(place.level) was not read")
        }
        return MerkleHash.root(ofLeaves: tile[place.hashes])
    }
}

extension InclusionProof {
    /// The tiles from which the proof can be made, each once.
    /// - Throws: ``TransparencyLogError/Code/outOfRange`` if the tree has no such leaf.
    public static func tiles(index: UInt64, size: UInt64) throws(TransparencyLogError) -> Set<Tile> {
        Set(try nodes(index: index, size: size).compactMap { Tile.holding($0, size: size) })
    }
}

extension ConsistencyProof {
    /// The tiles, of the tree with `newSize` leaves, from which the proof can be made, each once.
    /// - Throws: ``TransparencyLogError/Code/outOfRange`` if `oldSize` is above `newSize`.
    public static func tiles(from oldSize: UInt64, to newSize: UInt64) throws(TransparencyLogError) -> Set<Tile> {
        Set(try nodes(from: oldSize, to: newSize).compactMap { Tile.holding($0, size: newSize) })
    }
}

extension MerkleFrontier {
    /// The tiles with the right edge of a tree, from which its root can be computed.
    public static func tiles(size: UInt64) -> Set<Tile> { Set(nodes(size: size).compactMap { Tile.holding($0, size: size) }) }
}
