import Delivery
import Foundation
import Persistence
import TransparencyLog

/// The log's tables in PostgreSQL.
struct PostgresLogRepository: LogRepository {
    let database: PostgresPool
    /// For the session with the lock: a connection of its own, and not through a pooler in transaction mode, which would lose it.
    let url: String
    let outbox: Outbox

    private var rows: LogRows { LogRows { try await database.query($0) } }

    func lead() async throws -> (any LogSession)? {
        let connection = try await PostgresConnection.connect(url: url, applicationName: "transparency-log-sequencer")
        do {
            try await connection.execute(script: PostgresLogSession.settings)
            let lock = try await connection.query(PostgresLogSession.lock)
            if try lock.first?.get("is_held", as: Bool.self) == true { return PostgresLogSession(connection: connection, outbox: outbox) }
            await connection.close()
            return nil
        } catch {
            await connection.close()
            throw error
        }
    }

    func openShard() async throws -> LogShard? { try await rows.openShard() }
    func shards() async throws -> [LogShard] { try await rows.shards() }
    func leaves(_ range: Range<UInt64>, of origin: TextLine) async throws -> [[UInt8]] { try await rows.leaves(range, of: origin) }
    func checkpoint(of size: UInt64, _ origin: TextLine) async throws -> CommittedCheckpoint? {
        try await rows.checkpoint(of: size, origin)
    }

    func standing(at time: Date) async throws -> LogStanding {
        let found = try await database.query(
            """
            SELECT count(*) AS pending,
                coalesce(extract(epoch FROM \(time) - min(greatest(created_at, \(LogRows.dueAt)))), 0)::float8 AS oldest,
                (SELECT opened_at FROM log_shards WHERE closed_at IS NULL) AS opened_at,
                (SELECT published_at FROM log_checkpoints JOIN log_shards USING (origin)
                    WHERE closed_at IS NULL AND log_checkpoints.size = published_size) AS published_at,
                (SELECT token_at FROM log_checkpoints JOIN log_shards USING (origin)
                    WHERE closed_at IS NULL AND token IS NOT NULL ORDER BY log_checkpoints.size DESC LIMIT 1) AS stamped_at,
                EXISTS (SELECT FROM log_shards
                    WHERE frozen_reason IS NOT NULL AND (closed_at IS NULL OR end_index IS NOT NULL)) AS is_frozen
            FROM log_pending WHERE \(LogRows.dueAt) <= \(time)
            """)
        guard let row = found.first else { throw MalformedLogRow(description: "there is no count of what is pending") }
        return LogStanding(
            shard: try await openShard(), isFrozen: try row.get("is_frozen"), openedAt: try row.getOptional("opened_at"),
            publishedAt: try row.getOptional("published_at"), stampedAt: try row.getOptional("stamped_at"),
            pending: try row.get("pending"), oldestSeconds: max(0, try row.get("oldest")))
    }

    func keep(_ cosignatures: [KeptCosignature], of size: UInt64, _ origin: TextLine) async throws {
        try await database.withConnection { try await $0.keep(cosignatures, of: size, origin) }
    }

    func cosignatures(of size: UInt64, _ origin: TextLine) async throws -> [KeptCosignature] {
        try await database.query(
            """
            SELECT coalesce(renewed_line, line) AS line FROM log_cosignatures
            WHERE origin = \(origin.text) AND size = \(Int64(size)) ORDER BY cosigned_at, witness
            """
        ).compactMap { KeptCosignature(line: try $0.get("line")) }
    }

    func mend(_ leaf: [UInt8], at index: UInt64, of origin: TextLine) async throws -> Bool {
        let rows = try await database.query("SELECT rial_mend_log_entry(\(origin.text), \(Int64(index)), \(leaf)) AS is_mended")
        return try rows.first?.get("is_mended") ?? false
    }

    func scrubbed(_ origin: TextLine) async throws -> UInt64 {
        let rows = try await database.query("SELECT scrubbed_blocks FROM log_shards WHERE origin = \(origin.text)")
        return UInt64(max(0, try rows.first?.get("scrubbed_blocks", as: Int64.self) ?? 0))
    }

    func noteScrubbed(_ origin: TextLine, blocks: UInt64, isWhole: Bool, at time: Date) async throws {
        _ = try await database.query(
            """
            UPDATE log_shards SET scrubbed_blocks = \(Int64(blocks)), scrubbed_at = CASE WHEN \(isWhole) THEN \(time) ELSE scrubbed_at END
            WHERE origin = \(origin.text)
            """)
    }

    func sweepable(_ origin: TextLine, before time: Date) async throws -> (from: UInt64, to: UInt64) {
        let rows = try await database.query(
            """
            SELECT swept_size, coalesce((SELECT max(log_checkpoints.size) FROM log_checkpoints
                WHERE log_checkpoints.origin = log_shards.origin AND published_at < \(time)), 0) AS old
            FROM log_shards WHERE origin = \(origin.text)
            """)
        guard let row = rows.first else { return (0, 0) }
        return (UInt64(max(0, try row.get("swept_size", as: Int64.self))), UInt64(max(0, try row.get("old", as: Int64.self))))
    }

    func noteSwept(_ origin: TextLine, size: UInt64) async throws {
        _ = try await database.query("UPDATE log_shards SET swept_size = \(Int64(size)) WHERE origin = \(origin.text)")
    }

    func stampable(_ origin: TextLine, limit: Int) async throws -> (candidates: [PublishedCheckpoint], stampedAt: Date?) {
        let last = try await database.query(
            """
            SELECT size, token_at FROM log_checkpoints WHERE origin = \(origin.text) AND token IS NOT NULL ORDER BY size DESC LIMIT 1
            """
        ).first
        let stampedSize = try last?.get("size", as: Int64.self) ?? 0
        let found = try await database.query(
            """
            SELECT size, root, note, ARRAY(SELECT coalesce(renewed_line, line) FROM log_cosignatures AS kept
                WHERE kept.origin = checkpoints.origin AND kept.size = checkpoints.size ORDER BY cosigned_at, witness) AS lines
            FROM log_checkpoints AS checkpoints WHERE origin = \(origin.text) AND note IS NOT NULL AND size > \(stampedSize)
            ORDER BY size DESC LIMIT \(limit)
            """)
        let candidates = try found.compactMap { row -> PublishedCheckpoint? in
            guard let note = try row.note() else { return nil }
            return PublishedCheckpoint(
                head: try TreeHead(row), note: note,
                cosignatures: try row.get("lines", as: [String].self).compactMap { KeptCosignature(line: $0) })
        }
        return (candidates, try last?.getOptional("token_at"))
    }

    func keepToken(_ token: [UInt8], at time: Date, of size: UInt64, _ origin: TextLine) async throws {
        _ = try await database.query(
            """
            UPDATE log_checkpoints SET token = \(token), token_at = \(time)
            WHERE origin = \(origin.text) AND size = \(Int64(size)) AND token IS NULL
            """)
    }

    func freeze(_ origin: TextLine, _ freeze: Freeze, at time: Date) async throws -> Bool {
        try await database.withConnection { try await $0.freeze(origin, freeze, at: time) }
    }
}

extension PostgresConnection {
    /// - Returns: false if it was frozen before.
    @discardableResult
    func freeze(_ origin: TextLine, _ freeze: Freeze, at time: Date) throws -> Bool {
        try affected(
            """
            UPDATE log_shards SET frozen_reason = \(freeze.reason.rawValue), frozen_detail = \(freeze.detail), frozen_at = \(time)
            WHERE origin = \(origin.text) AND frozen_reason IS NULL
            """) == 1
    }

    /// Stores cosignatures, one of each key at most: each witness's first one stays, and its newest is kept beside it.
    func keep(_ cosignatures: [KeptCosignature], of size: UInt64, _ origin: TextLine) throws {
        guard !cosignatures.isEmpty else { return }
        try query(
            """
            INSERT INTO log_cosignatures AS known (origin, size, witness, key_id, line, cosigned_at)
            SELECT \(origin.text), \(Int64(size)), witness, key_id, line, to_timestamp(seconds) FROM unnest(
                \(cosignatures.map(\.signature.name.text)), \(cosignatures.map(\.signature.id.description)),
                \(cosignatures.map(\.line)), \(cosignatures.map { Int64(clamping: $0.seconds) })) AS kept (witness, key_id, line, seconds)
            ORDER BY witness, key_id
            ON CONFLICT (origin, size, witness, key_id) DO UPDATE SET renewed_line = excluded.line, renewed_at = excluded.cosigned_at
                WHERE coalesce(known.renewed_at, known.cosigned_at) < excluded.cosigned_at
            """)
    }
}
