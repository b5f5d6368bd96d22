import Foundation
import TransparencyLog

/// What the instance with the lock knows of its log: only what was compared since it took the lock. Each round reads the tree again.
struct Leadership: Sendable {
    let session: any LogSession
    var shard: LogShard
    let objects: LogObjects
    /// Whether database, store and witnesses were compared. Before that, what is missing in the store may be about to be restored.
    var isCompared = false
    /// Size of the largest head that is, or may be, stored. Trees up to this size may have been seen by others.
    var newestHead: UInt64
    /// `nil` until something is published.
    var latest: PublishedCheckpoint?
    /// The entity tag of the stored checkpoint; `nil` if there is none.
    var checkpointETag: String?
    /// Whether the stored checkpoint is ``latest`` with all its cosignatures.
    var isCheckpointStored = false
    /// When a checkpoint was last committed.
    var committedAt = Date.distantPast
    /// When witnesses were last asked about ``latest``.
    var askedAt = Date.distantPast
    /// When all of them were last asked, not only those that are missing.
    var renewedAt = Date.distantPast

    var reader: TreeReader { TreeReader(objects: objects) }
    /// Committed, and not yet published.
    var isUnfinished: Bool { shard.head.size > shard.publishedSize }

    /// Adds cosignatures of a tree, if that is the latest one.
    mutating func add(_ cosignatures: [KeptCosignature], to head: TreeHead) {
        guard latest?.head == head, !cosignatures.isEmpty else { return }
        latest?.add(cosignatures)
        isCheckpointStored = false
    }
}

/// What came of one turn.
enum SequencerTurn: Sendable, Equatable {
    /// Another instance leads.
    case standby
    /// No shard is open.
    case noShard
    /// The open shard has another key than this instance: after `rial log close` and `open`, until it is started again with the new one.
    case foreignKey
    case frozen(Freeze)
    /// Nothing was due.
    case idle
    case published(TreeHead)
}
