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
        var edge = TileEdge()
        while edge.size < head.size {
            let end = min(head.size, edge.size + Self.step)
            let leaves = try await leaves(edge.size..<end)
            guard leaves.count == Int(end - edge.size) else {
                throw SequencerHalt.freeze(.databaseDamaged, "rows are missing from \(edge.size) on")
            }
            let growth = try TreeGrowth(from: edge, leaves: leaves)
            edge = growth.edge
            // Partial tiles but for the last ones are those of trees that nobody reads.
            let isLast = edge.size == head.size
            for object in growth.objects where isLast || !object.tile.isPartial {
                let key = objects.key(object.tile)
                if case .differs = try await objects.put(key, object.bytes), object.end > newestHead {
                    try await objects.overwrite(key, object.bytes)
                }
            }
        }
        guard edge.frontier.head == head else {
            throw SequencerHalt.freeze(.databaseDamaged, "the rows do not give the published root of \(head.size) leaves")
        }
    }
}
