import CaptureProtocol
import Foundation
import Logging
import Metrics
import ObjectStorage
import TransparencyLog

/// Re-hashes the published tree from the top: each tile against the hash in the one above it, each entry bundle and each row against its
/// tile. What is damaged is restored from the copy whose hash is right.
actor LogScrub {
    /// Rows that are read at once.
    private static let step: UInt64 = 4096
    private let objects: LogObjects
    private let shard: LogShard
    private let size: UInt64
    private let edge: TileEdge
    private let repository: any UpkeepRepository
    private let logger: Logger
    /// The last verified tile of each level: blocks come in order.
    private var verified: [Int: (index: UInt64, hashes: [ContentDigest])] = [:]
    private(set) var mended = 0
    /// Of the block that is being checked: what the store did not give.
    private var refusal: ObjectStorageError?

    private static var scrubbed: Counter { Counter(label: "rial_log_scrubbed_entries_total") }
    private static var mendings: Counter { Counter(label: "rial_log_mended_total") }
    private static var failures: Counter { Counter(label: "rial_log_unmended_total") }

    /// Shows the counters before there is anything to count, so that the first time is an increase.
    static func showCounters() {
        for counter in [scrubbed, mendings, failures] { counter.increment(by: 0) }
    }

    /// Counts something that was damaged or missing and has been restored from a good copy.
    static func countMending() { mendings.increment() }

    /// - Parameters:
    ///   - head: the published tree.
    ///   - isClosed: whether the tree grows no more. Then no sequencer restores its right edge, so the scrub does, from the rows.
    /// - Throws: ``SequencerHalt`` if the right edge is not that tree's; `lost` if something of it is missing and the log is open: the
    ///   sequencer restores it.
    init(
        _ shard: LogShard, head: TreeHead, isClosed: Bool, objects: LogObjects, repository: any UpkeepRepository, logger: Logger
    ) async throws {
        self.shard = shard
        self.objects = objects
        self.repository = repository
        self.logger = logger
        size = head.size
        switch try await Self.storedEdge(of: head, objects) {
        case .success(let stored): edge = stored
        case .failure(let halt):
            guard isClosed else { throw halt }
            guard let made = try await Self.edge(of: head, shard.origin, repository) else {
                // No copy is right, and no sequencer restores it.
                if case .lost(let detail) = halt { throw SequencerHalt.freeze(.tileDiffers, detail) }
                throw halt
            }
            edge = made
            for (tile, hashes) in made.partialTiles {
                let bytes = Tile.bytes(of: hashes)
                let found = try await objects.fetch(objects.key(tile))
                if found?.bytes != bytes { try await mend(tile, bytes) }
            }
        }
    }

    /// The right edge in the store, or why it is not this tree's.
    private static func storedEdge(of head: TreeHead, _ objects: LogObjects) async throws -> Result<TileEdge, SequencerHalt> {
        do {
            let edge = try await TreeReader(objects: objects).edge(size: head.size)
            if edge.frontier.root == head.root { return .success(edge) }
            let detail = "the stored right edge of \(head.size) leaves does not have the published root"
            return .failure(SequencerHalt.freeze(.tileDiffers, detail))
        } catch let missing as TreeReader.MissingTile {
            return .failure(SequencerHalt.lost("\(missing.tile) is not in the store any more"))
        } catch let halt as SequencerHalt {
            return .failure(halt)
        }
    }

    /// The right edge that the rows make; `nil` if they make another tree.
    private static func edge(of head: TreeHead, _ origin: TextLine, _ repository: any UpkeepRepository) async throws -> TileEdge? {
        var edge = TileEdge()
        while edge.size < head.size {
            let rows = try await repository.leaves(edge.size..<min(head.size, edge.size + step), of: origin)
            guard !rows.isEmpty else { return nil }
            for row in rows { _ = edge.append(MerkleHash.leaf(row)) }
        }
        return edge.frontier.head == head ? edge : nil
    }

    /// Puts the final checkpoint of a closed shard again where it is missing, older or without a cosignature: no sequencer does.
    /// - Parameter published: of the published tree.
    /// - Throws: ``SequencerHalt`` with the reason to freeze.
    func mendCheckpoint(_ published: CommittedCheckpoint) async throws {
        guard var newest = published.signed(by: shard) else {
            throw SequencerHalt.freeze(.databaseDamaged, "the published checkpoint of \(size) leaves is not in the database")
        }
        newest.add(try await repository.cosignatures(of: size, shard.origin))
        let found = try await objects.fetch(objects.checkpointKey)
        var isDamaged = true
        if let found, let stored = try? SignedNote(found.bytes), let signed = PublishedCheckpoint(stored, of: shard) {
            // The shard was read before it was closed.
            if signed.head.size > size { return }
            guard signed.head.size < size || signed.head.root == newest.head.root else {
                throw SequencerHalt.freeze(.forked, "two trees of \(size) leaves were signed")
            }
            // The database has each cosignature before the store has it. Their order may differ, and an older note lacks our signature.
            if Set(try newest.served().signatures).isSubset(of: stored.signatures) { return }
            // With some of them, the others came while the shard was closed.
            isDamaged = signed.head != newest.head || stored.signatures.count == 1
        }
        _ = try await StoredCheckpoint(objects: objects, shard: shard).put(newest, over: found?.etag)
        if isDamaged { note("an object", "checkpoint") }
    }

    /// How many blocks of 256 leaves there are, the last of them partial.
    var blocks: UInt64 { (size + 255) >> 8 }

    /// Checks 256 leaves. An object that the store does not give, while it gives others, is damaged; one that it does not take is tried
    /// again when the block is checked again.
    /// - Throws: ``SequencerHalt`` with the reason to freeze if no copy is right; storage errors if the store gives nothing.
    func scrub(block: UInt64) async throws {
        refusal = nil
        do {
            try await check(block)
        } catch let halt as SequencerHalt {
            guard let refusal else { throw halt }
            // What the store does not give now may be the right copy.
            Self.failures.increment()
            logger.error(
                "a part of the log cannot be read, and no other copy is right", error: refusal,
                metadata: ["origin": "\(shard.origin)", "block": "\(block)"])
        }
    }

    private func check(_ block: UInt64) async throws {
        guard let bundle = Tile.at(.entries, index: block, size: size) else { return }
        let hashes = try await tile(level: 0, index: block)
        let start = block << 8
        let rows = try await repository.leaves(start..<start + UInt64(bundle.width), of: shard.origin)
        let stored = try await entries(of: bundle)
        let (areRows, isBundle) = (Self.hash(rows) == hashes, stored.map(Self.hash) == hashes)
        if areRows, !isBundle {
            try await mend(bundle, EntryBundle(entries: rows).bytes)
        } else if !areRows, isBundle, let stored {
            for (offset, leaf) in stored.enumerated() where offset >= rows.count || rows[offset] != leaf {
                guard try await repository.mend(leaf, at: start + UInt64(offset), of: shard.origin) else {
                    throw SequencerHalt.freeze(.databaseDamaged, "row \(start + UInt64(offset)) is damaged and cannot be restored")
                }
                note("a row", "\(start + UInt64(offset))")
            }
        } else if !areRows {
            throw SequencerHalt.freeze(.databaseDamaged, "neither the rows from \(start) on nor \(bundle) have the published hashes")
        }
        Self.scrubbed.increment(by: bundle.width)
    }

    /// The hashes of a tile, verified from the root down, and mended if they can be.
    private func tile(level: Int, index: UInt64) async throws -> [ContentDigest] {
        if let known = verified[level], known.index == index { return known.hashes }
        guard let tile = Tile.at(.hashes(level: level), index: index, size: size) else {
            throw SequencerHalt.freeze(.tileDiffers, "there is no tile \(index) of level \(level)")
        }
        let hashes =
            if tile.isPartial { edge.partialTiles.first { $0.tile == tile }?.hashes ?? [] } else { try await verifiedFull(tile, level) }
        verified[level] = (index, hashes)
        return hashes
    }

    private func verifiedFull(_ tile: Tile, _ level: Int) async throws -> [ContentDigest] {
        let above = try await self.tile(level: level + 1, index: tile.index >> 8)
        let expected = above[Int(tile.index & 255)]
        if let stored = try await stored(tile), MerkleHash.root(ofLeaves: stored) == expected { return stored }
        for candidate in try await candidates(for: tile, level) where MerkleHash.root(ofLeaves: candidate) == expected {
            // No halt of this block is for want of that copy.
            refusal = nil
            try await mend(tile, Tile.bytes(of: candidate))
            return candidate
        }
        throw SequencerHalt.freeze(.tileDiffers, "\(tile) is damaged, and nothing below it makes its hash")
    }

    /// The hashes that a damaged tile may have had, to be compared with the tile above.
    private func candidates(for tile: Tile, _ level: Int) async throws -> [[ContentDigest]] {
        let start = tile.index << 8
        guard level > 0 else {
            let rows = try await repository.leaves(start..<start + 256, of: shard.origin)
            var bundle: [[UInt8]]?
            if let entries = Tile.at(.entries, index: tile.index, size: size) { bundle = try await self.entries(of: entries) }
            return [rows, bundle ?? []].map(Self.hash).filter { $0.count == Tile.fullWidth }
        }
        let known = try await stored(tile)
        var roots: [ContentDigest] = []
        for index in start..<start + 256 {
            let below = try await root(level: level - 1, index: index, against: known?[Int(index & 255)])
            guard let below else { return [] }
            roots.append(below)
        }
        return [roots]
    }

    /// The root of a full tile, from what is stored; if that contradicts the tile above, of leaves from the rows.
    private func root(level: Int, index: UInt64, against known: ContentDigest?) async throws -> ContentDigest? {
        guard let tile = Tile.at(.hashes(level: level), index: index, size: size) else { return nil }
        let root = try await stored(tile).map { MerkleHash.root(ofLeaves: $0) }
        guard level == 0, root == nil || root != known else { return root }
        let rows = try await repository.leaves(index << 8..<(index + 1) << 8, of: shard.origin)
        return MerkleHash.root(ofLeaves: Self.hash(rows))
    }

    /// `nil` also if the object is not a tile, or is refused.
    private func stored(_ tile: Tile) async throws -> [ContentDigest]? {
        guard let found = try await given({ [objects] in try await objects.fetch(objects.key(tile)) }) else { return nil }
        return try? tile.hashes(in: found.bytes)
    }

    /// `nil` also if the object is not a bundle, or is refused.
    private func entries(of tile: Tile) async throws -> [[UInt8]]? {
        try await given { [objects] in try await objects.entries(of: tile) }
    }

    /// What is read at the first or second attempt; `nil` also if the store refuses it twice, and gives another object.
    private func given<Content: Sendable>(_ read: @Sendable () async throws -> Content?) async throws -> Content? {
        do { return try await read() } catch is ObjectStorageError {}
        do { return try await read() } catch let error as ObjectStorageError {
            guard await givesOthers() else { throw error }
            refusal = error
            return nil
        }
    }

    /// Whether the store gives something of the right edge.
    private func givesOthers() async -> Bool {
        guard let known = edge.partialTiles.last, let hashes = try? await objects.hashes(of: known.tile) else { return false }
        return hashes == known.hashes
    }

    private func mend(_ tile: Tile, _ bytes: [UInt8]) async throws {
        do {
            try await objects.overwrite(objects.key(tile), bytes)
        } catch let error as ObjectStorageError {
            guard await givesOthers() else { throw error }
            Self.failures.increment()
            let place: Logger.Metadata = ["origin": "\(shard.origin)", "place": "\(tile)"]
            return logger.error("an object of the log is damaged or cannot be read, nor restored", error: error, metadata: place)
        }
        note("an object", "\(tile)")
    }

    private func note(_ what: String, _ which: String) {
        mended += 1
        Self.countMending()
        let place: Logger.Metadata = ["origin": "\(shard.origin)", "place": "\(which)"]
        logger.error("\(what) of the log was damaged or could not be read, and has been restored", metadata: place)
    }

    private static func hash(_ leaves: [[UInt8]]) -> [ContentDigest] { leaves.map { MerkleHash.leaf($0) } }
}
