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

    /// Compares all rows that the committed tree has and the published one does not with the committed root.
    /// - Returns: the first step from the one to the other, mostly the only one.
    func firstGrowth(_ lead: Leadership, from published: TileEdge) async throws -> TreeGrowth {
        let first = try await growth(lead, from: published)
        var edge = first.edge
        while edge.size < lead.shard.head.size { edge = try await growth(lead, from: edge).edge }
        guard edge.frontier.head == lead.shard.head else {
            throw SequencerHalt.freeze(.databaseDamaged, "the rows do not give the committed root of \(lead.shard.head.size) leaves")
        }
        return first
    }

    /// The next step to the committed tree: as much as a round enters. After a recovery it may be a whole log that is not published.
    private func growth(_ lead: Leadership, from edge: TileEdge) async throws -> TreeGrowth {
        let (start, size) = (TreeGrowth.bundleStart(edge.size), lead.shard.head.size)
        // A full round with the bundle that it continues is one step; a step before the last ends with a full bundle.
        let isLast = size - start < Self.step + UInt64(Tile.fullWidth)
        return try TreeGrowth(from: edge, leaves: try await newLeaves(lead, start..<(isLast ? size : start + Self.step), after: edge))
    }

    /// The rows from the start of a tree's last bundle on, hashed and compared with its edge.
    private func newLeaves(_ lead: Leadership, _ range: Range<UInt64>, after edge: TileEdge) async throws -> [[UInt8]] {
        let start = range.lowerBound
        let leaves = try await lead.session.leaves(range, of: lead.shard.origin)
        guard leaves.count == range.count else {
            throw SequencerHalt.freeze(.databaseDamaged, "there are \(leaves.count) of \(range.count) rows from \(start) on")
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
        let published = try await publishedEdge(lead)
        var growth = try await firstGrowth(lead, from: published)
        while growth.edge.size < lead.shard.head.size {
            // Its partial objects are those of a tree that nobody reads.
            try await store(growth.objects.filter { !$0.tile.isPartial }, lead)
            growth = try await self.growth(lead, from: growth.edge)
        }
        // A partial tile of a higher level may have changed last in an earlier step.
        let known = Set(Tile.edge(size: published.size) + growth.objects.map(\.tile))
        let earlier = growth.edge.partialTiles.filter { !known.contains($0.tile) }
        try await store(growth.objects + earlier.map { TreeGrowth.Object(tile: $0.tile, bytes: Tile.bytes(of: $0.hashes)) }, lead)
        try await verify(lead)
    }

    /// Stores objects and reads them back.
    private func store(_ objects: [TreeGrowth.Object], _ lead: Leadership) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, object) in objects.enumerated() {
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
        try await reached(.tiles)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, object) in objects.enumerated() {
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
    }

    /// Checks that the stored tiles lead from the published root to the committed one.
    private func verify(_ lead: Leadership) async throws {
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
    /// How many leaves are read at once; a multiple of a bundle's.
    private static let step: UInt64 = 4096
}
