import CaptureProtocol
import ObjectStorage
import TransparencyLog

/// Restores a frozen log to what its largest signed checkpoint proves: rows from bundles, bundles and tiles from rows. Statements whose
/// entries were never signed wait again. What cannot be proved is not recovered. The open shard comes first, then closed ones, one at a
/// time.
struct LogRecovery: Sendable {
    struct Report: Sendable, Equatable {
        let head: TreeHead
        /// Statements that wait again.
        let returned: Int
    }

    enum Failure: Error, Equatable, CustomStringConvertible {
        case notFrozen
        case unproved(String)

        var description: String {
            switch self {
            case .notFrozen: "no shard is frozen, apart from those given up"
            case .unproved(let why): "the log cannot be recovered: \(why)"
            }
        }
    }

    /// Published checkpoints of the database that are compared.
    private static let comparedCheckpoints = 100
    private static let step: UInt64 = 4096
    let repository: any RecoveryRepository
    let store: any ObjectStore

    /// - Throws: ``Failure``, and errors of database and store. The rows are then unchanged; objects in the store may already be restored.
    func recover() async throws -> Report {
        let open = try await repository.openShard()
        let frozen = try await repository.shards().filter { $0.freeze != nil }
        if let shard = frozen.first(where: { $0.origin == open?.origin }) { return try await recover(shard, isOpen: true) }
        var reasons: [String] = []
        // One that was given up ends without a last leaf.
        for shard in frozen where shard.endIndex != nil {
            do { return try await recover(shard, isOpen: false) } catch Failure.unproved(let why) {
                reasons.append("\(shard.shard): \(why)")
            }
        }
        throw reasons.isEmpty ? Failure.notFrozen : .unproved(reasons.joined(separator: "; "))
    }

    private func recover(_ shard: LogShard, isOpen: Bool) async throws -> Report {
        let objects = LogObjects(store, shard: shard.shard)
        let published = try await repository.published(shard.origin, limit: Self.comparedCheckpoints)
        let signed = try await signedCheckpoints(shard, objects, published)
        guard let greatest = signed.max(by: { $0.head.size < $1.head.size }) else {
            throw Failure.unproved("nothing of it was ever signed")
        }
        let source = LeafSource(repository: repository, objects: objects, shard: shard, size: greatest.head.size)
        let roots = try await prove(greatest, with: source, signed)
        // Others have seen it: no smaller tree may take its place.
        if let size = published.first?.head.size, size > greatest.head.size {
            throw Failure.unproved("nothing proves the published checkpoint of \(size) leaves any more")
        }
        let last = try await source.leaves(greatest.head.size - 1..<greatest.head.size).last.flatMap { try? LogLeaf(bytes: $0) }
        var next: VerifierKey?
        if case .end(let key)? = last { next = key }
        // A damaged note is replaced for the proved tree alone. With any other, the next instance would freeze again.
        let publishedSize =
            published.filter { stored in
                roots[stored.head.size] == stored.head.root && (stored.head == greatest.head || stored.signed(by: shard) != nil)
            }.map(\.head.size).max() ?? 0
        let proved = ProvedTree(shard: shard, head: greatest.head, note: greatest.note, publishedSize: publishedSize, next: next)
        // A closed shard ends with its last leaf, published: nobody publishes it again.
        guard isOpen || next != nil && proved.publishedSize == proved.head.size else {
            throw Failure.unproved("the final checkpoint of the closed shard \(shard.shard) is not in the database")
        }
        try await restoreStore(proved, objects, source)
        let returned = try await repository.replace(proved) { try await source.leaves($0) }
        return Report(head: proved.head, returned: returned)
    }

    /// Everything that bears this log's signature: the heads, the checkpoint in the store, those of the database.
    private func signedCheckpoints(
        _ shard: LogShard, _ objects: LogObjects, _ published: [CommittedCheckpoint]
    ) async throws -> [PublishedCheckpoint] {
        var signed = published.compactMap { stored in stored.note.flatMap { PublishedCheckpoint($0, of: shard) } }
        if let found = try await objects.fetch(objects.checkpointKey), let checkpoint = PublishedCheckpoint(found.bytes, of: shard) {
            signed.append(checkpoint)
        }
        for object in try await store.list(prefix: objects.headsPrefix).objects {
            guard let size = objects.headSize(object.key), let found = try await objects.fetch(object.key) else { continue }
            if let head = PublishedCheckpoint(found.bytes, of: shard), head.head.size == size { signed.append(head) }
        }
        return signed
    }

    /// Computes the root of the greatest tree from the leaves there are, and compares all signed trees with it.
    /// - Returns: the roots of the sizes that were signed.
    private func prove(
        _ greatest: PublishedCheckpoint, with source: LeafSource, _ signed: [PublishedCheckpoint]
    ) async throws -> [UInt64: ContentDigest] {
        let sizes = Set(signed.map(\.head.size))
        var frontier = MerkleFrontier()
        var roots: [UInt64: ContentDigest] = [:]
        while frontier.size < greatest.head.size {
            for leaf in try await source.leaves(frontier.size..<min(greatest.head.size, frontier.size + Self.step)) {
                frontier.append(MerkleHash.leaf(leaf))
                if sizes.contains(frontier.size) { roots[frontier.size] = frontier.root }
            }
        }
        guard frontier.head == greatest.head else {
            throw Failure.unproved("the leaves there are do not make the signed tree of \(greatest.head.size)")
        }
        if let other = signed.first(where: { roots[$0.head.size] != $0.head.root }) {
            throw Failure.unproved("two trees were signed, one of them of \(other.head.size) leaves")
        }
        return roots
    }

    /// Stores tiles, bundles and the head of the proved tree, and deletes heads that this log has not signed.
    private func restoreStore(_ proved: ProvedTree, _ objects: LogObjects, _ source: LeafSource) async throws {
        _ = try await TreeRestorer.build(proved.head.size) { range in
            try await source.leaves(range)
        } store: { object in
            try await objects.putOrOverwrite(objects.key(object.tile), object.bytes)
        }
        // The published tree's right edge is what the next round begins with.
        if proved.publishedSize > 0, proved.publishedSize < proved.head.size {
            try await restoreEdge(proved.publishedSize, objects, source)
        }
        for object in try await store.list(prefix: objects.headsPrefix).objects {
            guard let size = objects.headSize(object.key), size > proved.head.size else { continue }
            try await store.delete([object.key])
        }
        try await objects.putOrOverwrite(objects.headKey(proved.head.size), proved.note.bytes)
    }

    private func restoreEdge(_ size: UInt64, _ objects: LogObjects, _ source: LeafSource) async throws {
        var edge = TileEdge()
        while edge.size < size {
            for leaf in try await source.leaves(edge.size..<min(size, edge.size + Self.step)) { _ = edge.append(MerkleHash.leaf(leaf)) }
        }
        for (tile, hashes) in edge.partialTiles {
            try await objects.putOrOverwrite(objects.key(tile), Tile.bytes(of: hashes))
        }
        let start = TreeGrowth.bundleStart(size)
        guard start < size, let bundle = Tile.entries(of: start, size: size) else { return }
        try await objects.putOrOverwrite(objects.key(bundle), EntryBundle(entries: try await source.leaves(start..<size)).bytes)
    }
}

/// The leaves of a signed tree, each from the copy that its tile vouches for. They prove nothing before the root is compared.
struct LeafSource: Sendable {
    let repository: any RecoveryRepository
    let objects: LogObjects
    let shard: LogShard
    let size: UInt64

    /// - Throws: ``LogRecovery/Failure`` if leaves are in no copy.
    func leaves(_ range: Range<UInt64>) async throws -> [[UInt8]] {
        var leaves: [[UInt8]] = []
        var block = range.lowerBound >> 8
        while block << 8 < range.upperBound {
            let start = block << 8
            let found = try await self.block(block)
            let first = Int(max(range.lowerBound, start) - start)
            leaves += found[first..<min(found.count, Int(range.upperBound - start))]
            block += 1
        }
        return leaves
    }

    private func block(_ index: UInt64) async throws -> [[UInt8]] {
        let start = index << 8
        guard let bundle = Tile.at(.entries, index: index, size: size), let tile = Tile.at(.hashes(level: 0), index: index, size: size)
        else {
            return []
        }
        let rows = try await repository.leaves(start..<start + UInt64(bundle.width), of: shard.origin)
        let stored = try await objects.entries(of: bundle) ?? []
        var hashes: [ContentDigest]?
        do { hashes = try await objects.hashes(of: tile) } catch is SequencerHalt { hashes = nil }
        return try (0..<bundle.width).map { offset in
            let copies = [stored, rows].compactMap { offset < $0.count ? $0[offset] : nil }
            if let hash = hashes?[offset], let vouched = copies.first(where: { MerkleHash.leaf($0) == hash }) { return vouched }
            guard let copy = copies.first else { throw LogRecovery.Failure.unproved("leaf \(start + UInt64(offset)) is in no copy") }
            return copy
        }
    }
}
