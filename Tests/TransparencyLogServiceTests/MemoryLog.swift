import CaptureProtocol
import Foundation
import Persistence
import Synchronization
import TransparencyLog

@testable import TransparencyLogService

/// The log's tables in memory, with one lock. Tests set it back, end its sessions, and damage its rows.
final class MemoryLog: LogRepository {
    struct Pending: Sendable {
        let id: Int64
        let leaf: LogLeaf
        let commitment: [UInt8]
        let notBefore: Date?
        let createdAt: Date

        /// From when on it may be entered.
        var dueAt: Date {
            guard case .entry(_, let time, _, _) = leaf else { return notBefore ?? .distantPast }
            return max(notBefore ?? .distantPast, Date(timeIntervalSince1970: TimeInterval(time - PendingLeaf.aheadSeconds)))
        }
    }

    struct Rows: Sendable {
        /// As evidence-assembler makes them.
        var statements: [StatedLeaf] = []
        /// The events that were processed.
        var answered: Set<EventID> = []
        var shards: [LogShard] = []
        var openedAt: [TextLine: Date] = [:]
        var closed: Set<TextLine> = []
        var pending: [Pending] = []
        var nextID: Int64 = 1
        /// Commitments of those that wait.
        var waiting: Set<[UInt8]> = []
        var entries: [TextLine: [[UInt8]]] = [:]
        /// As they were entered: what rows are mended by.
        var hashes: [TextLine: [ContentDigest]] = [:]
        var commitments: Set<[UInt8]> = []
        var checkpoints: [TextLine: [UInt64: CommittedCheckpoint]] = [:]
        var publishedAt: [TextLine: [UInt64: Date]] = [:]
        var cosignatures: [TextLine: [UInt64: [KeptCosignature]]] = [:]
        /// Commitments that were announced, in order.
        var announced: [[UInt8]] = []
        var scrubbed: [TextLine: UInt64] = [:]
        var swept: [TextLine: UInt64] = [:]
        var tokens: [TextLine: [UInt64: (token: [UInt8], time: Date)]] = [:]
    }

    private struct State {
        var rows = Rows()
        var holder: UUID?
        var fails = false
        var mostLeaves = 0
    }

    private let state = Mutex(State())

    var rows: Rows { state.withLock { $0.rows } }
    func change(_ body: (inout Rows) -> Void) { state.withLock { body(&$0.rows) } }

    /// Ends the session with the lock, as a server does that is stopped, or a session that idles too long.
    func endSessions() { state.withLock { $0.holder = nil } }

    /// Sets the rows back; a server that is restored ends its sessions.
    func restore(_ rows: Rows) {
        state.withLock { state in
            state.rows = rows
            state.holder = nil
        }
    }

    /// Replaces the note of a checkpoint behind the service's back.
    func damageNote(of size: UInt64, _ origin: TextLine, _ note: SignedNote) {
        change { rows in
            let damaged = rows.checkpoints[origin]?[size].map { CommittedCheckpoint(head: $0.head, text: $0.text, note: note) }
            rows.checkpoints[origin]?[size] = damaged
        }
    }

    /// The most leaves that were ever asked for at once.
    var mostLeaves: Int { state.withLock { $0.mostLeaves } }

    /// Whether every statement fails.
    func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }

    /// Lets a statement wait, also one that has an entry: the handler and the sequencer race.
    func add(_ leaf: LogLeaf, notBefore: Date? = nil, at time: Date = .now) { change { $0.add(leaf, notBefore: notBefore, at: time) } }

    /// Opens a shard with its leaf 0, committed and not published.
    func open(_ key: VerifierKey, shard: String, at time: Date = .now) {
        let leaf = LogLeaf.shard(previous: nil, head: .empty)
        let head = TreeHead(size: 1, root: leaf.hash)
        let opened = LogShard(origin: key.name, shard: shard, key: key, head: head, publishedSize: 0)
        change { rows in
            rows.shards.append(opened)
            rows.openedAt[key.name] = time
            rows.entries[key.name] = [leaf.bytes]
            rows.hashes[key.name] = [leaf.hash]
            rows.checkpoints[key.name, default: [:]][1] = CommittedCheckpoint(head: head, text: opened.checkpoint.text, note: nil)
        }
    }

    func lead() async throws -> (any LogSession)? {
        try read { _ in }
        let id = UUID()
        let isTaken = state.withLock { state in
            guard state.holder == nil else { return false }
            state.holder = id
            return true
        }
        return isTaken ? MemoryLogSession(id: id, log: self) : nil
    }

    func openShard() async throws -> LogShard? { try read { rows in rows.shards.first { !rows.closed.contains($0.origin) } } }
    func shards() async throws -> [LogShard] { try read { $0.shards } }

    func standing(at time: Date) async throws -> LogStanding {
        let shard = try await openShard()
        return try read { rows in
            let due = rows.pending.filter { $0.dueAt <= time }
            let oldest = due.map { time.timeIntervalSince(max($0.createdAt, $0.dueAt)) }.max()
            let isFrozen = rows.shards.contains { $0.freeze != nil && (!rows.closed.contains($0.origin) || $0.endIndex != nil) }
            return LogStanding(
                shard: shard, isFrozen: isFrozen, openedAt: shard.flatMap { rows.openedAt[$0.origin] },
                publishedAt: shard.flatMap { rows.publishedAt[$0.origin]?[$0.publishedSize] },
                stampedAt: shard.flatMap { rows.tokens[$0.origin]?.max { $0.key < $1.key }?.value.time }, pending: due.count,
                oldestSeconds: max(0, oldest ?? 0))
        }
    }

    func leaves(_ range: Range<UInt64>, of origin: TextLine) async throws -> [[UInt8]] {
        state.withLock { $0.mostLeaves = max($0.mostLeaves, range.count) }
        return try read { rows in Array((rows.entries[origin] ?? []).dropFirst(Int(range.lowerBound)).prefix(range.count)) }
    }

    func checkpoint(of size: UInt64, _ origin: TextLine) async throws -> CommittedCheckpoint? {
        try read { $0.checkpoints[origin]?[size] }
    }

    func keep(_ cosignatures: [KeptCosignature], of size: UInt64, _ origin: TextLine) async throws {
        try write { $0.keep(cosignatures, of: size, origin) }
    }

    func cosignatures(of size: UInt64, _ origin: TextLine) async throws -> [KeptCosignature] {
        try read { $0.cosignatures[origin]?[size] ?? [] }
    }

    func mend(_ leaf: [UInt8], at index: UInt64, of origin: TextLine) async throws -> Bool {
        try write { rows in
            guard rows.hashes[origin]?[Int(index)] == MerkleHash.leaf(leaf), rows.entries[origin]?[Int(index)] != leaf else { return false }
            rows.entries[origin]?[Int(index)] = leaf
            return true
        }
    }

    func scrubbed(_ origin: TextLine) async throws -> UInt64 { try read { $0.scrubbed[origin] ?? 0 } }
    func noteScrubbed(_ origin: TextLine, blocks: UInt64, isWhole: Bool, at time: Date) async throws {
        try write { rows in
            try rows.refuseIfFrozen(origin)
            rows.scrubbed[origin] = blocks
        }
    }

    func sweepable(_ origin: TextLine, before time: Date) async throws -> (from: UInt64, to: UInt64) {
        try read { rows in
            (rows.swept[origin] ?? 0, rows.publishedAt[origin]?.filter { $0.value < time }.keys.max() ?? 0)
        }
    }

    func noteSwept(_ origin: TextLine, size: UInt64) async throws {
        try write { rows in
            try rows.refuseIfFrozen(origin)
            rows.swept[origin] = size
        }
    }

    func stampable(_ origin: TextLine, limit: Int) async throws -> (candidates: [PublishedCheckpoint], stampedAt: Date?) {
        try read { rows in
            let stamped = rows.tokens[origin] ?? [:]
            let last = stamped.keys.max() ?? 0
            let sizes = (rows.publishedAt[origin] ?? [:]).keys.filter { $0 > last }.sorted(by: >).prefix(limit)
            let candidates = sizes.compactMap { size -> PublishedCheckpoint? in
                guard let checkpoint = rows.checkpoints[origin]?[size], let note = checkpoint.note else { return nil }
                return PublishedCheckpoint(head: checkpoint.head, note: note, cosignatures: rows.cosignatures[origin]?[size] ?? [])
            }
            return (candidates, stamped.values.map(\.time).max())
        }
    }

    func keepToken(_ token: [UInt8], at time: Date, of size: UInt64, _ origin: TextLine) async throws {
        try write { rows in
            if rows.tokens[origin]?[size] == nil { rows.tokens[origin, default: [:]][size] = (token, time) }
        }
    }

    func freeze(_ origin: TextLine, _ freeze: Freeze, at time: Date) async throws -> Bool {
        try write { rows in
            guard let index = rows.shards.firstIndex(where: { $0.origin == origin }), rows.shards[index].freeze == nil else { return false }
            rows.shards[index].freeze = freeze
            return true
        }
    }

    fileprivate func isHeld(by id: UUID) -> Bool { state.withLock { $0.holder == id && !$0.fails } }
    fileprivate func release(_ id: UUID) { state.withLock { if $0.holder == id { $0.holder = nil } } }

    /// Commits rows that a session has changed, if it still is one.
    fileprivate func commit(_ rows: Rows, over old: Rows, by id: UUID) throws {
        try state.withLock { state in
            guard state.holder == id, !state.fails else { throw Self.lost }
            // What a handler has added meanwhile stays.
            var rows = rows
            let added = state.rows.pending.filter { $0.id >= old.nextID }
            rows.pending += added
            rows.waiting.formUnion(added.map(\.commitment))
            rows.nextID = state.rows.nextID
            (rows.statements, rows.answered) = (state.rows.statements, state.rows.answered)
            rows.cosignatures.merge(state.rows.cosignatures) { mine, theirs in mine.count >= theirs.count ? mine : theirs }
            for index in rows.shards.indices where state.rows.shards[index].freeze != nil { throw Self.lost }
            state.rows = rows
        }
    }

    fileprivate static let lost = PostgresError(code: .connectionFailed, message: "the session has ended")

    private func read<T>(_ body: (Rows) throws -> T) throws -> T {
        try state.withLock { state in
            if state.fails { throw Self.lost }
            return try body(state.rows)
        }
    }

    /// One transaction.
    func write<T>(_ body: (inout Rows) throws -> T) throws -> T {
        try state.withLock { state in
            if state.fails { throw Self.lost }
            return try body(&state.rows)
        }
    }
}

extension MemoryLog.Rows {
    /// - Returns: false if it waits already.
    @discardableResult
    mutating func add(_ leaf: LogLeaf, notBefore: Date?, at time: Date) -> Bool {
        guard case .entry(_, _, _, let commitment) = leaf, waiting.insert(commitment.bytes).inserted else { return false }
        pending.append(
            MemoryLog.Pending(id: nextID, leaf: leaf, commitment: commitment.bytes, notBefore: notBefore, createdAt: time))
        nextID += 1
        return true
    }

    /// The service writes no row of a frozen shard.
    func refuseIfFrozen(_ origin: TextLine) throws {
        if shards.contains(where: { $0.origin == origin && $0.freeze != nil }) {
            throw PostgresError(code: .query, message: "permission denied: write a frozen log", sqlState: "23514")
        }
    }

    mutating func keep(_ new: [KeptCosignature], of size: UInt64, _ origin: TextLine) {
        var known = cosignatures[origin]?[size] ?? []
        for kept in new {
            if let index = known.firstIndex(where: { $0.signature.name == kept.signature.name && $0.signature.id == kept.signature.id }) {
                if known[index].seconds < kept.seconds { known[index] = kept }
            } else {
                known.append(kept)
            }
        }
        cosignatures[origin, default: [:]][size] = known
    }
}

/// The session with the lock.
struct MemoryLogSession: LogSession {
    let id: UUID
    let log: MemoryLog

    func beat() async throws { try check() }

    func freeze(_ shard: LogShard, _ freeze: Freeze, at time: Date) async throws {
        try check()
        guard log.rows.shards.contains(shard) else { throw SequencerHalt.lost("another shard") }
        _ = try await log.freeze(shard.origin, freeze, at: time)
    }

    func close() async { log.release(id) }

    func openShard() async throws -> LogShard? {
        try check()
        return try await log.openShard()
    }

    func leaves(_ range: Range<UInt64>, of origin: TextLine) async throws -> [[UInt8]] {
        try check()
        return try await log.leaves(range, of: origin)
    }

    func checkpoint(of size: UInt64, _ origin: TextLine) async throws -> CommittedCheckpoint? {
        try check()
        return try await log.checkpoint(of: size, origin)
    }

    func sequence(
        _ shard: LogShard, edge: MerkleFrontier, limit: Int, at time: Date, reached: @escaping @Sendable () async throws -> Void
    ) async throws -> LogShard? {
        try check()
        let old = log.rows
        var rows = old
        guard let index = rows.shards.firstIndex(of: shard), edge.head == shard.head else { throw SequencerHalt.lost("another shard") }
        let due = rows.pending.filter { $0.dueAt <= time }.sorted { first, second in
            switch (first.notBefore, second.notBefore) {
            case (nil, nil): first.id < second.id
            case (nil, _): true
            case (_, nil): false
            case (let one?, let other?): one == other ? first.commitment.lexicographicallyPrecedes(second.commitment) : one < other
            }
        }
        let pending = due.prefix(limit).map {
            PendingLeaf(id: $0.id, leaf: $0.leaf, commitment: $0.commitment, isLogged: rows.commitments.contains($0.commitment))
        }
        let batch = SequencedBatch(pending, after: edge, of: shard, limit: limit)
        let done = Set(batch.done)
        for waiting in rows.pending where done.contains(waiting.id) { rows.waiting.remove(waiting.commitment) }
        rows.pending.removeAll { done.contains($0.id) }
        if !batch.entries.isEmpty {
            for entry in batch.entries {
                rows.entries[shard.origin, default: []].append(entry.leaf)
                rows.hashes[shard.origin, default: []].append(entry.hash)
                if let commitment = entry.commitment {
                    guard rows.commitments.insert(commitment).inserted else {
                        throw PostgresError(code: .query, message: "twice", sqlState: "23505")
                    }
                }
            }
            rows.shards[index].head = batch.checkpoint.head
            if batch.isEnd { rows.shards[index].endIndex = batch.checkpoint.size - 1 }
            rows.checkpoints[shard.origin, default: [:]][batch.checkpoint.size] = CommittedCheckpoint(
                head: batch.checkpoint.head, text: batch.checkpoint.text, note: nil)
            try await reached()
        }
        try log.commit(rows, over: old, by: id)
        return batch.entries.isEmpty ? nil : rows.shards[index]
    }

    func publish(
        _ shard: LogShard, note: SignedNote, cosignatures: [KeptCosignature], at time: Date,
        reached: @escaping @Sendable () async throws -> Void
    ) async throws {
        try check()
        let old = log.rows
        var rows = old
        guard let index = rows.shards.firstIndex(of: shard) else { throw SequencerHalt.lost("another shard") }
        let size = shard.head.size
        rows.checkpoints[shard.origin]?[size] = CommittedCheckpoint(head: shard.head, text: note.text, note: note)
        rows.publishedAt[shard.origin, default: [:]][size] = time
        rows.keep(cosignatures, of: size, shard.origin)
        for leaf in (rows.entries[shard.origin] ?? [])[Int(shard.publishedSize)..<Int(size)] {
            if case .entry(_, _, _, let commitment)? = try? LogLeaf(bytes: leaf) { rows.announced.append(commitment.bytes) }
        }
        rows.shards[index].publishedSize = size
        try await reached()
        try log.commit(rows, over: old, by: id)
    }

    func end(_ shard: LogShard, at time: Date) async throws {
        try check()
        let old = log.rows
        var rows = old
        guard shard.endIndex != nil, rows.shards.contains(shard), rows.closed.insert(shard.origin).inserted else {
            throw SequencerHalt.lost("another shard")
        }
        try log.commit(rows, over: old, by: id)
    }

    private func check() throws { guard log.isHeld(by: id) else { throw MemoryLog.lost } }
}
