import Delivery
import Foundation
import Logging
import Metrics
import ObjectStorage
import TransparencyLog

/// What is done beside the rounds, by the instance that leads: the scrub, and the sweep of what nobody reads any more.
struct LogUpkeep: Sendable {
    /// How many blocks of 256 leaves are checked each minute at least: a small log is checked more often than ``scrubDays`` asks for.
    static let leastBlocks: UInt64 = 16
    static let keptHeads = 100
    /// How long the partial tiles of a tree stay for those who still read them after it has grown.
    static let partialSeconds: TimeInterval = 3600

    let repository: any UpkeepRepository
    let store: any ObjectStore
    let scrubDays: Int
    /// Whether checkpoints get time stamps.
    var isStamping = false
    let logger: Logger

    /// Called once a minute: checks so much of every log that all of it is checked within ``scrubDays``.
    /// - Throws: ``SequencerHalt`` `lost`, after all others, if something of the open log is missing that the sequencer restores.
    func scrub(at time: Date) async throws {
        var lost: SequencerHalt?
        let shards = try await repository.shards()
        let open = try await repository.openShard()?.origin
        for shard in shards where shard.freeze == nil && shard.publishedSize > 0 {
            do {
                try await scrub(shard, isClosed: shard.origin != open, at: time)
            } catch SequencerHalt.freeze(let freeze) {
                logger.critical("the log is damaged", metadata: ["origin": "\(shard.origin)", "detail": "\(freeze.detail)"])
                try await repository.freeze(shard.origin, freeze, at: time)
            } catch let halt as SequencerHalt where shard.origin == open {
                lost = halt
            } catch {
                guard !Task.isEnding else { throw error }
                logger.warning("a log was not read again", error: error, metadata: ["origin": "\(shard.origin)"])
            }
        }
        if let lost { throw lost }
    }

    private func scrub(_ shard: LogShard, isClosed: Bool, at time: Date) async throws {
        guard let published = try await repository.checkpoint(of: shard.publishedSize, shard.origin) else {
            throw SequencerHalt.freeze(.databaseDamaged, "the published checkpoint of \(shard.publishedSize) leaves is not in the database")
        }
        let scrub = try await LogScrub(
            shard, head: published.head, isClosed: isClosed, objects: LogObjects(store, shard: shard.shard), repository: repository,
            logger: logger)
        if isClosed { try await scrub.mendCheckpoint(published) }
        let blocks = await scrub.blocks
        let share = max(Self.leastBlocks, blocks / UInt64(scrubDays * 1440) + 1)
        var block = try await repository.scrubbed(shard.origin)
        if block >= blocks { block = 0 }
        let end = min(blocks, block + share)
        while block < end, !Task.isEnding {
            try await scrub.scrub(block: block)
            block += 1
        }
        try await repository.noteScrubbed(shard.origin, blocks: block >= blocks ? 0 : block, isWhole: block >= blocks, at: time)
    }

    /// Called every ten minutes: deletes partial tiles and heads that nobody reads any more. Nothing of a frozen log is deleted.
    func sweep(at time: Date) async throws {
        for shard in try await repository.shards() where shard.freeze == nil && shard.publishedSize > 0 {
            do {
                try await sweep(shard, at: time)
            } catch {
                guard !Task.isEnding else { throw error }
                logger.warning("a log was not swept", error: error, metadata: ["origin": "\(shard.origin)"])
            }
        }
    }

    private func sweep(_ shard: LogShard, at time: Date) async throws {
        let objects = LogObjects(store, shard: shard.shard)
        try await sweepHeads(objects)
        let (from, to) = try await repository.sweepable(shard.origin, before: time.addingTimeInterval(-Self.partialSeconds))
        guard from < to else { return }
        for tile in Tile.added(from: from, to: to) where !tile.isPartial {
            // At most 255 widths, which are one page.
            try await store.delete(try await store.list(prefix: objects.key(tile) + ".p/").objects.map(\.key))
        }
        try await repository.noteSwept(shard.origin, size: to)
    }

    private func sweepHeads(_ objects: LogObjects) async throws {
        var seen = 0
        for try await page in objects.store.pages(under: objects.headsPrefix) {
            let old = page.map(\.key).dropFirst(max(0, Self.keptHeads - seen)).filter { objects.headSize($0) != nil }
            try await objects.store.delete(Array(old))
            seen += page.count
        }
    }

    /// Called every few seconds, by every instance.
    func measure(at time: Date) async throws -> LogStanding {
        let standing = try await repository.standing(at: time)
        Meter(label: "rial_log_pending").set(standing.pending)
        Meter(label: "rial_log_pending_oldest_seconds").set(standing.oldestSeconds)
        Meter(label: "rial_log_frozen").set(standing.isFrozen ? 1 : 0)
        if let shard = standing.shard {
            Meter(label: "rial_log_size").set(Double(shard.head.size))
            Meter(label: "rial_log_published_size").set(Double(shard.publishedSize))
        }
        if let published = standing.publishedAt { Meter(label: "rial_log_checkpoint_age_seconds").set(time.timeIntervalSince(published)) }
        if let age = timestampAge(standing, at: time) { Meter(label: "rial_log_timestamp_age_seconds").set(age) }
        return standing
    }

    /// Seconds since the open shard's last token, or since its opening while it has none, so that an authority that never answers is seen
    /// as well; `nil` if none is expected, whether or not there was one before.
    func timestampAge(_ standing: LogStanding, at time: Date) -> TimeInterval? {
        let since = isStamping ? standing.stampedAt ?? standing.openedAt : nil
        return since.map { time.timeIntervalSince($0) }
    }
}
