import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence
import TransparencyLog

/// The session with the lock. It writes only over its own connection: once the server has ended that, it cannot write.
struct PostgresLogSession: LogSession {
    /// The server ends the session, and with it the lock, after this long without a query; a running process sends one more often.
    static let settings = """
        SET idle_session_timeout = 15000; SET idle_in_transaction_session_timeout = 15000; SET synchronous_commit = on
        """
    /// One lock in each schema, "rial" in ASCII.
    static let lock: SQL = "SELECT pg_try_advisory_lock(1919508844, hashtext(current_schema() || '.log_shards')) AS is_held"

    let connection: PostgresConnection
    let outbox: Outbox

    private var rows: LogRows { LogRows { try await connection.query($0) } }

    func openShard() async throws -> LogShard? { try await rows.openShard() }
    func leaves(_ range: Range<UInt64>, of origin: TextLine) async throws -> [[UInt8]] { try await rows.leaves(range, of: origin) }
    func checkpoint(of size: UInt64, _ origin: TextLine) async throws -> CommittedCheckpoint? {
        try await rows.checkpoint(of: size, origin)
    }

    func beat() async throws { try await connection.query("SELECT 1") }
    func close() async { await connection.close() }

    func sequence(
        _ shard: LogShard, edge: MerkleFrontier, limit: Int, at time: Date, reached: @escaping @Sendable () async throws -> Void
    ) async throws -> LogShard? {
        try await connection.withTransaction { connection in
            guard try await locked(shard, on: connection), edge.head == shard.head else {
                throw SequencerHalt.lost("the shard has changed since it was compared")
            }
            // In the order of an index. A statement that was added again after it got its entry is dropped: it must not be entered twice.
            let pending = try await connection.query(
                """
                SELECT id, commitment, subject, kind, time,
                    EXISTS (SELECT FROM log_entries WHERE log_entries.commitment = log_pending.commitment) AS is_logged
                FROM log_pending WHERE \(LogRows.dueAt) <= \(time)
                ORDER BY not_before NULLS FIRST, (CASE WHEN not_before IS NULL THEN id END), commitment LIMIT \(limit)
                """
            ).map { try PendingLeaf($0) }
            let batch = SequencedBatch(pending, after: edge, of: shard, limit: limit)
            try await connection.query("DELETE FROM log_pending WHERE id = ANY(\(batch.done))")
            guard !batch.entries.isEmpty else { return nil }
            try await insert(batch, of: shard, on: connection)
            try await reached()
            var committed = shard
            committed.head = batch.checkpoint.head
            if batch.isEnd { committed.endIndex = batch.checkpoint.size - 1 }
            return committed
        }
    }

    func publish(
        _ shard: LogShard, note: SignedNote, cosignatures: [KeptCosignature], at time: Date,
        reached: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await connection.withTransaction { connection in
            guard try await locked(shard, on: connection) else {
                throw SequencerHalt.lost("the shard has changed since it was signed")
            }
            let (origin, size) = (shard.origin.text, Int64(shard.head.size))
            try await connection.query(
                """
                UPDATE log_checkpoints SET note = \(String(decoding: note.bytes, as: UTF8.self)), published_at = \(time)
                WHERE origin = \(origin) AND size = \(size) AND note IS NULL
                """)
            try await connection.keep(cosignatures, of: shard.head.size, shard.origin)
            try await connection.query("UPDATE log_shards SET published_size = size WHERE origin = \(origin)")
            let captures = try await connection.query(
                """
                SELECT DISTINCT statements.capture_id FROM log_entries JOIN statements USING (commitment)
                WHERE log_entries.origin = \(origin) AND log_entries.leaf_index >= \(Int64(shard.publishedSize))
                    AND log_entries.leaf_index < \(size) AND statements.capture_id IS NOT NULL
                """)
            let events = try captures.map { EvidenceLogged(captureID: CaptureID(try $0.get("capture_id", as: UUID.self))) }
            try await outbox.append(events, on: connection, at: time)
            try await reached()
        }
    }

    func end(_ shard: LogShard, at time: Date) async throws {
        try await connection.withTransaction { connection in
            guard shard.endIndex != nil, try await locked(shard, on: connection) else {
                throw SequencerHalt.lost("the shard has changed since it was published")
            }
            try await connection.query("UPDATE log_shards SET closed_at = \(time) WHERE origin = \(shard.origin.text)")
        }
    }

    func freeze(_ shard: LogShard, _ freeze: Freeze, at time: Date) async throws {
        try await connection.withTransaction { connection in
            guard try await locked(shard, on: connection) else {
                throw SequencerHalt.lost("the shard has changed since it was compared")
            }
            try await connection.freeze(shard.origin, freeze, at: time)
        }
    }

    /// Locks the shard's row.
    /// - Returns: whether it still is as it was read.
    private func locked(_ shard: LogShard, on connection: PostgresConnection) async throws -> Bool {
        let rows = try await connection.query(
            "SELECT \(LogRows.shardColumns) FROM log_shards WHERE origin = \(shard.origin.text) AND closed_at IS NULL FOR UPDATE")
        return try rows.first.map { try LogShard($0) } == shard
    }

    private func insert(_ batch: SequencedBatch, of shard: LogShard, on connection: PostgresConnection) async throws {
        let (origin, head) = (shard.origin.text, batch.checkpoint.head)
        let entries = batch.entries.filter { $0.commitment != nil }
        if !entries.isEmpty {
            try await connection.query(
                """
                INSERT INTO log_entries (origin, leaf_index, leaf, leaf_hash, commitment)
                SELECT \(origin), * FROM unnest(\(entries.map { Int64($0.index) }), \(entries.map(\.leaf)),
                    \(entries.map(\.hash.bytes)), \(entries.map { $0.commitment ?? [] }))
                """)
        }
        if let last = batch.entries.last, last.commitment == nil {
            try await connection.query(
                """
                INSERT INTO log_entries (origin, leaf_index, leaf, leaf_hash)
                VALUES (\(origin), \(Int64(last.index)), \(last.leaf), \(last.hash.bytes))
                """)
        }
        let updated = try await connection.affected(
            """
            UPDATE log_shards SET size = \(Int64(head.size)), root = \(head.root.bytes),
                end_index = CASE WHEN \(batch.isEnd) THEN \(Int64(head.size) - 1) END
            WHERE origin = \(origin) AND size = \(Int64(shard.head.size)) AND root = \(shard.head.root.bytes)
            """)
        guard updated == 1 else { throw SequencerHalt.lost("the shard has grown") }
        try await connection.query(
            """
            INSERT INTO log_checkpoints (origin, size, root, body)
            VALUES (\(origin), \(Int64(head.size)), \(head.root.bytes), \(String(decoding: batch.checkpoint.text, as: UTF8.self)))
            """)
    }
}
