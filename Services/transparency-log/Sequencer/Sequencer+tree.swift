import CaptureProtocol
import ObjectStorage
import TransparencyLog

/// Steps 2 and 3: the tree in the store.
extension Sequencer {
    /// The right edge of the published tree, from its tiles.
    /// - Throws: ``SequencerHalt``: `tile_differs` if it is not that tree's edge, `lost` if a tile is missing, which the next leader
    ///   restores.
    func publishedEdge(_ lead: Leadership) async throws -> TileEdge {
        do {
            let edge = try await lead.reader.edge(size: lead.shard.publishedSize)
            let root = lead.latest?.head.root ?? MerkleHash.empty
            guard edge.frontier.root == root else {
                throw SequencerHalt.freeze(.tileDiffers, "the stored right edge of \(edge.size) leaves does not have the published root")
            }
            return edge
        } catch let missing as TreeReader.MissingTile {
            throw SequencerHalt.lost("\(missing.tile) is not in the store any more")
        }
    }

    /// The rows from the start of the published tree's last bundle to the end of the committed one, hashed and compared with the edge.
    func newLeaves(_ lead: Leadership, after edge: TileEdge) async throws -> [[UInt8]] {
        let (start, size) = (TreeGrowth.bundleStart(edge.size), lead.shard.head.size)
        let leaves = try await lead.session.leaves(start..<size, of: lead.shard.origin)
        guard leaves.count == Int(size - start) else {
            throw SequencerHalt.freeze(.databaseDamaged, "there are \(leaves.count) rows from \(start) on, of \(size) leaves")
        }
        guard let last = edge.partialTiles.first(where: { $0.tile.kind == .hashes(level: 0) }) else { return leaves }
        let known = Array(leaves.prefix(last.hashes.count))
        guard known.map({ MerkleHash.leaf($0) }) == last.hashes else {
            throw SequencerHalt.freeze(.databaseDamaged, "rows from \(start) on do not have the hashes that were published")
        }
        if let bundle = Tile.entries(of: start, size: edge.size), let found = try await lead.objects.entries(of: bundle), found != known {
            throw SequencerHalt.freeze(.tileDiffers, "\(bundle) does not have the entries that were published")
        }
        return leaves
    }

    /// Stores the objects that the committed tree has and the published one does not, and reads them back.
    func storeTree(_ lead: Leadership) async throws {
        let edge = try await publishedEdge(lead)
        let growth = try TreeGrowth(from: edge, leaves: try await newLeaves(lead, after: edge))
        guard growth.edge.frontier.head == lead.shard.head else {
            throw SequencerHalt.freeze(.databaseDamaged, "the rows do not give the committed root of \(lead.shard.head.size) leaves")
        }
        try await store(growth, lead)
        try await reached(.tiles)
        try await verify(growth, lead)
    }

    private func store(_ growth: TreeGrowth, _ lead: Leadership) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, object) in growth.objects.enumerated() {
                if index >= Self.atOnce { try await group.next() }
                group.addTask { [reached] in
                    let key = lead.objects.key(object.tile)
                    if case .differs = try await lead.objects.put(key, object.bytes) {
                        guard object.end > lead.newestHead else {
                            throw SequencerHalt.freeze(.tileDiffers, "\(object.tile) belongs to a signed tree and differs from it")
                        }
                        // Left by a round of which nothing was signed.
                        try await lead.objects.overwrite(key, object.bytes)
                    }
                    try await reached(.tile)
                }
            }
            try await group.waitForAll()
        }
    }

    /// Checks that the stored objects lead from the published root to the committed one.
    private func verify(_ growth: TreeGrowth, _ lead: Leadership) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, object) in growth.objects.enumerated() {
                if index >= Self.atOnce { try await group.next() }
                group.addTask {
                    let found = try await lead.objects.fetch(lead.objects.key(object.tile))
                    guard found?.bytes == object.bytes else {
                        throw SequencerHalt.freeze(.tileDiffers, "\(object.tile) was read back different from what was put")
                    }
                }
            }
            try await group.waitForAll()
        }
        let head = lead.shard.head
        do {
            guard try await lead.reader.root(size: head.size) == head.root else {
                throw SequencerHalt.freeze(.tileDiffers, "the stored right edge of \(head.size) leaves does not have the committed root")
            }
            guard let latest = lead.latest else { return }
            let (_, old) = try await lead.reader.consistency(from: latest.head.size, to: head)
            guard old == latest.head else {
                throw SequencerHalt.freeze(.forked, "\(head.size) leaves do not begin with the published tree")
            }
        } catch let missing as TreeReader.MissingTile {
            throw SequencerHalt.lost("\(missing.tile) is not in the store any more")
        }
    }

    /// How many requests to the store run at the same time.
    static let atOnce = 8
}
