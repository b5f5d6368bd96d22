import CaptureProtocol
import TransparencyLog

/// The objects that are new when a tree grows: those that the larger tree has and the smaller one does not.
struct TreeGrowth: Sendable {
    struct Object: Sendable {
        let tile: Tile
        let bytes: [UInt8]

        /// The first leaf after those on which it depends.
        var end: UInt64 { (tile.index << 8 + UInt64(tile.width)) << UInt64(8 * tile.kind.level) }
    }

    /// Entry bundles, then tiles.
    let objects: [Object]
    let edge: TileEdge

    /// - Parameters:
    ///   - edge: of the smaller tree.
    ///   - leaves: from the first one of the smaller tree's last, partial bundle on, to the end of the larger tree.
    /// - Throws: ``TransparencyLogError/Code/tooLong`` for a leaf that fits in no bundle.
    init(from edge: TileEdge, leaves: [[UInt8]]) throws(TransparencyLogError) {
        let (old, start) = (edge.size, Self.bundleStart(edge.size))
        var edge = edge
        var hashes: [Tile: [ContentDigest]] = [:]
        for leaf in leaves.dropFirst(Int(old - start)) {
            for filled in edge.append(MerkleHash.leaf(leaf)) { hashes[filled.tile] = filled.hashes }
        }
        for partial in edge.partialTiles { hashes[partial.tile] = partial.hashes }
        var objects: [Object] = []
        for tile in Tile.added(from: old, to: edge.size) {
            if case .entries = tile.kind {
                let first = Int(tile.index << 8 - start)
                let bundle = try EntryBundle(entries: Array(leaves[first..<first + tile.width]))
                objects.append(Object(tile: tile, bytes: bundle.bytes))
            } else {
                objects.append(Object(tile: tile, bytes: Tile.bytes(of: hashes[tile] ?? [])))
            }
        }
        self.objects = objects
        self.edge = edge
    }

    /// The first leaf of the bundle that the next leaf comes into.
    static func bundleStart(_ size: UInt64) -> UInt64 { size & ~255 }
}
