import CaptureProtocol
import TransparencyLog

/// The tiles of a log, as it publishes them.
struct PublishedTiles: Sendable {
    let files: PublicFiles
    /// The address of the log; ends in a slash.
    let prefix: String

    /// - Throws: ``LogDefect`` if neither the tile nor the full one is there, or what is there is none; ``PublicFiles/Unreachable``.
    func hashes(of tile: Tile) async throws -> [ContentDigest] {
        let (bytes, isFull) = try await bytes(of: tile)
        do {
            return try isFull ? tile.hashes(inFull: bytes) : tile.hashes(in: bytes)
        } catch {
            throw LogDefect(.tileChanged, "\(tile) \(error.message)")
        }
    }

    /// - Throws: as ``hashes(of:)``.
    func entries(of tile: Tile) async throws -> [[UInt8]] {
        let (bytes, isFull) = try await bytes(of: tile)
        do {
            return try isFull ? EntryBundle(inFull: bytes, of: tile).entries : EntryBundle(bytes, of: tile).entries
        } catch {
            throw LogDefect(.entryChanged, "\(tile) \(error.message)")
        }
    }

    /// The roots of subtrees, from tiles of the tree with `size` leaves.
    func roots(of nodes: [TreeNode], size: UInt64) async throws -> TileHashes {
        var read = TileHashes()
        for tile in Set(nodes.compactMap { Tile.holding($0, size: size) }) {
            do { try read.add(tile, try await hashes(of: tile)) } catch let error as TransparencyLogError {
                throw LogDefect(.tileChanged, "\(tile) \(error.message)")
            }
        }
        return read
    }

    /// A log may delete a partial tile once the full one is there (c2sp.org/tlog-tiles, "Partial Tiles").
    private func bytes(of tile: Tile) async throws -> (bytes: [UInt8], isFull: Bool) {
        if let bytes = try await files.read(prefix + tile.path) { return (bytes, false) }
        guard tile.isPartial, let bytes = try await files.read(prefix + tile.full.path) else {
            throw LogDefect(.missing, "\(tile) is not there, though the checkpoint covers it")
        }
        return (bytes, true)
    }
}
