import CaptureProtocol
import Models
import ObjectStorage
import TransparencyLog

/// Reads the published files of logs from the store. It verifies nothing: whoever uses the files verifies their proofs and signatures.
struct LogTiles: Sendable {
    let store: any ObjectStore

    /// A tile of the published tree, also if it was never stored at this width, or is not stored any more: then it is cut from a wider one.
    /// - Returns: `nil` if the published tree has no such tile.
    /// - Throws: ``ObjectStorageError``.
    func bytes(of tile: Tile, in shard: PublishedShard) async throws -> [UInt8]? {
        guard let newest = Tile.at(tile.kind, index: tile.index, size: shard.size), newest.width >= tile.width else { return nil }
        if let found = try await fetch(tile, in: shard) { return found }
        // The same tile of a larger tree begins with it (c2sp.org/tlog-tiles, "Partial Tiles").
        for wider in [newest, tile.full] where wider != tile {
            guard let found = try await fetch(wider, in: shard) else { continue }
            do throws(TransparencyLogError) {
                return try tile.prefix(of: found, stored: wider)
            } catch {
                throw ObjectStorageError(.digestMismatch, "\(key(wider, in: shard)) \(error.message)")
            }
        }
        throw ObjectStorageError(.notFound, key(tile, in: shard))
    }

    /// - Returns: `nil` if none is there.
    func checkpoint(of shard: PublishedShard) async throws -> [UInt8]? {
        try await store.fetch(ObjectPrefix.checkpoint(shard: shard.name), limit: Tile.maximumFileBytes)?.bytes
    }

    /// The proof that an entry is in the tree of this size, which is published.
    func inclusion(of index: UInt64, size: UInt64, in shard: PublishedShard) async throws -> InclusionProof {
        let tiles = try InclusionProof.tiles(index: index, size: size)
        let hashes = try await withThrowingTaskGroup(of: (Tile, [ContentDigest]).self) { group in
            for tile in tiles {
                group.addTask {
                    guard let bytes = try await self.bytes(of: tile, in: shard) else {
                        throw ObjectStorageError(.notFound, self.key(tile, in: shard))
                    }
                    return (tile, try tile.hashes(in: bytes))
                }
            }
            return try await group.reduce(into: TileHashes()) { try $0.add($1.0, $1.1) }
        }
        return try InclusionProof(index: index, size: size) { try hashes.root(of: $0) }
    }

    private func fetch(_ tile: Tile, in shard: PublishedShard) async throws -> [UInt8]? {
        try await store.fetch(key(tile, in: shard), limit: Tile.maximumFileBytes)?.bytes
    }

    private func key(_ tile: Tile, in shard: PublishedShard) -> String { ObjectPrefix.log(shard: shard.name) + tile.path }
}

extension Tile {
    /// The bytes of a narrower tile in those of a wider one in its place.
    fileprivate func prefix(of bytes: [UInt8], stored wider: Tile) throws(TransparencyLogError) -> [UInt8] {
        switch kind {
        case .hashes: Tile.bytes(of: Array(try wider.hashes(in: bytes).prefix(width)))
        case .entries: try EntryBundle(entries: Array(try EntryBundle(bytes, of: wider).entries.prefix(width))).bytes
        }
    }
}
