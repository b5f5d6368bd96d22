import CaptureProtocol
import TransparencyLog

/// Puts a log's tiles and entry bundles again where they are missing, from its rows.
struct TreeRestorer: Sendable {
    /// Leaves that are read at once; a multiple of a tile's.
    private static let step: UInt64 = 4096
    let objects: LogObjects
    let leaves: @Sendable (Range<UInt64>) async throws -> [[UInt8]]

    /// Stores the missing objects of a tree. An object that differs is left to the scrub, unless it is of a tree that nobody can have seen.
    /// - Parameter newestHead: size of the greatest head.
    /// - Throws: ``SequencerHalt`` with `database_damaged` if the rows do not give this tree. Objects that were stored then stay, but
    ///   nothing is signed.
    func restore(_ head: TreeHead, newestHead: UInt64) async throws {
        let edge = try await Self.build(head.size) { range in
            let found = try await leaves(range)
            guard found.count == range.count else {
                throw SequencerHalt.freeze(.databaseDamaged, "rows are missing from \(range.lowerBound) on")
            }
            return found
        } store: { object in
            let key = objects.key(object.tile)
            if case .differs = try await objects.put(key, object.bytes), object.end > newestHead {
                try await objects.overwrite(key, object.bytes)
            }
        }
        guard edge.frontier.head == head else {
            throw SequencerHalt.freeze(.databaseDamaged, "the rows do not give the published root of \(head.size) leaves")
        }
    }

    /// Makes every object that a tree has, each once: full tiles and bundles as they fill up, at the end the partial ones of its edge.
    /// - Parameter leaves: reads a range of leaves, all of them.
    /// - Returns: the right edge.
    static func build(
        _ size: UInt64, leaves: (Range<UInt64>) async throws -> [[UInt8]], store: (TreeGrowth.Object) async throws -> Void
    ) async throws -> TileEdge {
        var edge = TileEdge()
        while edge.size < size {
            let growth = try TreeGrowth(from: edge, leaves: try await leaves(edge.size..<min(size, edge.size + step)))
            edge = growth.edge
            // Partial objects of a step before the last are those of trees that nobody reads.
            let isLast = edge.size == size
            for object in growth.objects where !object.tile.isPartial || isLast && object.tile.kind == .entries {
                try await store(object)
            }
        }
        // Not those of the last step alone: a tile of a higher level may have changed last in an earlier one.
        for (tile, hashes) in edge.partialTiles { try await store(TreeGrowth.Object(tile: tile, bytes: Tile.bytes(of: hashes))) }
        return edge
    }
}
