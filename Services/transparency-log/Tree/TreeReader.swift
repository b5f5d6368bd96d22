import CaptureProtocol
import TransparencyLog

/// Reads trees from a log's stored tiles. What it reads is not trustworthy until it is compared with a root.
struct TreeReader: Sendable {
    /// A tile that a published tree needs is not in the store.
    struct MissingTile: Error { let tile: Tile }

    let objects: LogObjects

    /// The right edge of a tree.
    /// - Throws: ``MissingTile``, ``SequencerHalt`` with `tile_differs`.
    func edge(size: UInt64) async throws -> TileEdge {
        let tiles = try await read(Set(Tile.edge(size: size)))
        return try TileEdge(size: size) { tiles[$0] ?? [] }
    }

    /// Root of a tree, from its right edge.
    func root(size: UInt64) async throws -> ContentDigest {
        guard size > 0 else { return MerkleHash.empty }
        let hashes = try await hashes(MerkleFrontier.tiles(size: size))
        return try MerkleFrontier(size: size) { try hashes.root(of: $0) }.root
    }

    /// The proof that one of the log's trees begins with another, made and verified.
    /// - Parameter new: the tree whose tiles are read; its root is known.
    /// - Throws: ``MissingTile``; ``SequencerHalt`` with `tile_differs` if the tiles do not lead to its root.
    func consistency(from oldSize: UInt64, to new: TreeHead) async throws -> (proof: ConsistencyProof, old: TreeHead) {
        guard oldSize > 0, oldSize < new.size else {
            return (ConsistencyProof(hashes: []), oldSize == 0 ? .empty : new)
        }
        let edge = Set(MerkleFrontier.nodes(size: oldSize).compactMap { Tile.holding($0, size: new.size) })
        let hashes = try await hashes(edge.union(try ConsistencyProof.tiles(from: oldSize, to: new.size)))
        let proof = try ConsistencyProof(from: oldSize, to: new.size) { try hashes.root(of: $0) }
        let old = try MerkleFrontier(size: oldSize) { try hashes.root(of: $0) }.head
        guard proof.proves(old, isPrefixOf: new) else {
            throw SequencerHalt.freeze(.tileDiffers, "the stored tiles of \(new.size) leaves do not lead to their root from \(oldSize)")
        }
        return (proof, old)
    }

    private func hashes(_ tiles: Set<Tile>) async throws -> TileHashes {
        var hashes = TileHashes()
        for (tile, content) in try await read(tiles) { try hashes.add(tile, content) }
        return hashes
    }

    private func read(_ tiles: Set<Tile>) async throws -> [Tile: [ContentDigest]] {
        try await withThrowingTaskGroup(of: (Tile, [ContentDigest]).self) { group in
            for tile in tiles {
                group.addTask {
                    guard let hashes = try await objects.hashes(of: tile) else { throw MissingTile(tile: tile) }
                    return (tile, hashes)
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }
}
