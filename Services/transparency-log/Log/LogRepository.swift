import Foundation
import TransparencyLog

/// The log's tables. Each method of each of these is one transaction.
typealias LogRepository = SequencerRepository & StampRepository & UpkeepRepository

/// What is entered and published.
protocol LogReading: Sendable {
    /// The shard that is open; there is at most one.
    func openShard() async throws -> LogShard?

    /// All shards, closed ones too.
    func shards() async throws -> [LogShard]

    /// - Parameter time: now.
    func standing(at time: Date) async throws -> LogStanding

    /// The leaves at these indexes, as far as there are any, in order.
    func leaves(_ range: Range<UInt64>, of origin: TextLine) async throws -> [[UInt8]]

    func checkpoint(of size: UInt64, _ origin: TextLine) async throws -> CommittedCheckpoint?

    /// The newest cosignature of each witness.
    func cosignatures(of size: UInt64, _ origin: TextLine) async throws -> [KeptCosignature]
}

/// What the sequencer needs.
protocol SequencerRepository: LogReading {
    /// Takes the sequencer's lock, in a session of its own that loses it when it ends.
    /// - Returns: `nil` if another instance has it.
    func lead() async throws -> (any LogSession)?

    /// Stores cosignatures of a published checkpoint in addition to those stored before; of each witness the first and the newest are kept.
    func keep(_ cosignatures: [KeptCosignature], of size: UInt64, _ origin: TextLine) async throws
}

/// What time stamps on checkpoints need.
protocol StampRepository: LogReading {
    /// The published checkpoints that are newer than the last one with a time-stamp token, newest first, and when that token was made.
    func stampable(_ origin: TextLine, limit: Int) async throws -> (candidates: [PublishedCheckpoint], stampedAt: Date?)

    /// Keeps a verified RFC 3161 answer; the first of a checkpoint stays.
    /// - Parameter time: the token's.
    func keepToken(_ token: [UInt8], at time: Date, of size: UInt64, _ origin: TextLine) async throws
}

/// What the scrub and the sweep need.
protocol UpkeepRepository: LogReading {
    /// Restores a damaged row.
    /// - Returns: false if nothing was damaged, or if these bytes are not what was entered.
    func mend(_ leaf: [UInt8], at index: UInt64, of origin: TextLine) async throws -> Bool

    /// How many blocks of 256 leaves the scrub has checked in this pass.
    func scrubbed(_ origin: TextLine) async throws -> UInt64
    func noteScrubbed(_ origin: TextLine, blocks: UInt64, isWhole: Bool, at time: Date) async throws

    /// Partial tiles of trees up to `from` are already swept; those of trees up to `to` may be, since these were published before `time`.
    func sweepable(_ origin: TextLine, before time: Date) async throws -> (from: UInt64, to: UInt64)
    func noteSwept(_ origin: TextLine, size: UInt64) async throws

    /// - Returns: false if it was frozen before: the first reason stays.
    @discardableResult
    func freeze(_ origin: TextLine, _ freeze: Freeze, at time: Date) async throws -> Bool
}

/// What only the instance with the lock may do. Every method fails once the session has ended, so that a process that was paused and
/// resumes writes nothing.
protocol LogSession: Sendable {
    func openShard() async throws -> LogShard?

    /// The leaves at these indexes, as far as there are any, in order.
    func leaves(_ range: Range<UInt64>, of origin: TextLine) async throws -> [[UInt8]]

    func checkpoint(of size: UInt64, _ origin: TextLine) async throws -> CommittedCheckpoint?

    /// Step 1: enters what is due, with the checkpoint of the tree that it makes.
    /// - Parameters:
    ///   - shard: as it was read; if it has changed since, nothing is written.
    ///   - edge: the right edge of its tree.
    ///   - reached: called before the commit.
    /// - Returns: the shard with the new tree; `nil` if nothing was due.
    /// - Throws: ``SequencerHalt/lost(_:)`` if the shard is another by now.
    func sequence(
        _ shard: LogShard, edge: MerkleFrontier, limit: Int, at time: Date, reached: @escaping @Sendable () async throws -> Void
    ) async throws -> LogShard?

    /// Step 6: the committed tree is published, and its captures are announced.
    /// - Throws: ``SequencerHalt/lost(_:)`` if the shard is another by now.
    func publish(
        _ shard: LogShard, note: SignedNote, cosignatures: [KeptCosignature], at time: Date,
        reached: @escaping @Sendable () async throws -> Void
    ) async throws

    /// Closes a shard whose last leaf is published: nothing of it is written any more.
    /// - Throws: ``SequencerHalt/lost(_:)`` if the shard is another by now, or has no last leaf.
    func end(_ shard: LogShard, at time: Date) async throws

    /// Freezes the log.
    /// - Throws: ``SequencerHalt/lost(_:)`` if the shard is another by now.
    func freeze(_ shard: LogShard, _ freeze: Freeze, at time: Date) async throws

    /// Shows that the session lives, and keeps it alive.
    func beat() async throws

    /// Releases the lock.
    func close() async
}
