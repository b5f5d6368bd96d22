import CaptureProtocol
import Delivery
import Foundation
import Logging
import Models
import Persistence
import TestSupport
import Testing
import TransparencyLog

@testable import TransparencyLogService

/// The log's tables of a test: in memory, or in PostgreSQL, with the service's role.
enum TestLog: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, postgres
    var testDescription: String { rawValue }
    static var available: [TestLog] { TestSchema.isConfigured ? allCases : [.memory] }

    struct Opened {
        let repository: any LogRepository
        let statements: any StatementRows
        /// Lets a leaf wait.
        let add: @Sendable (LogLeaf, Date?) async throws -> Void
        let endSessions: @Sendable () async throws -> Void
        /// With the owner's role, and the sequencer's lock where there is one.
        let recovery: @Sendable () async throws -> any RecoveryRepository
        /// Changes a leaf behind the service's back.
        let damage: @Sendable (UInt64, [UInt8]) async throws -> Void
        /// Replaces the note of the checkpoint of this size behind the service's back.
        let damageNote: @Sendable (UInt64, String) async throws -> Void
        let pending: @Sendable () async throws -> Int
        /// Asks for the last leaf, as `rial log close` does.
        let close: @Sendable (VerifierKey) async throws -> Void
    }

    func with(_ key: VerifierKey, _ body: @Sendable (Opened) async throws -> Void) async throws {
        switch self {
        case .memory:
            let log = MemoryLog()
            log.open(key, shard: "2026")
            try await body(
                Opened(
                    repository: log, statements: log, add: { log.add($0, notBefore: $1) }, endSessions: { log.endSessions() },
                    recovery: { log },
                    damage: { index, leaf in log.change { $0.entries[key.name]?[Int(index)] = leaf } },
                    damageNote: { log.damageNote(of: $0, key.name, try SignedNote(Array($1.utf8))) },
                    pending: { log.rows.pending.count },
                    close: { next in log.change { $0.shards[0].next = next } }))
        case .postgres:
            try await TestSchema.with(prefix: "log") { schema in
                try await Migrator.bundled().migrate(url: schema.url, logger: .quiet)
                let owner = PostgresPool(url: schema.url, size: 2, applicationName: schema.name, logger: .quiet)
                _ = try await owner.query("GRANT USAGE ON SCHEMA \(unescaped: schema.name) TO rial_transparency_log")
                try await PostgresLog.open(key, on: owner)
                // Its role, without its password.
                let url = schema.url + "%20-crole%3Drial_transparency_log"
                let pool = PostgresPool(url: url, size: 3, applicationName: schema.name + "_service", logger: .quiet)
                let repository = PostgresLogRepository(database: pool, url: url, outbox: Outbox(.transparencyLog))
                var failure: (any Error)?
                do {
                    try await body(
                        Opened(
                            repository: repository, statements: PostgresStatements(owner: owner, service: pool),
                            add: { try await PostgresLog.add($0, notBefore: $1, on: pool) },
                            endSessions: {
                                _ = try await owner.query(
                                    """
                                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                                    WHERE application_name = 'transparency-log-sequencer' AND datname = current_database()
                                        AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory'
                                            AND objid = (SELECT CASE WHEN h < 0 THEN h + 4294967296 ELSE h END
                                            FROM (SELECT hashtext(\(schema.name + ".log_shards"))::bigint AS h) AS hashed)::oid)
                                    """)
                            },
                            recovery: {
                                var found: PostgresRecoveryRepository?
                                try await waitUntil("the lock is free") {
                                    found = try await PostgresRecoveryRepository.locked(url: schema.url)
                                    return found != nil
                                }
                                return try #require(found)
                            },
                            damage: { index, leaf in
                                try await owner.withTransaction { connection in
                                    try await connection.execute(
                                        script: """
                                            ALTER TABLE log_entries DROP CONSTRAINT IF EXISTS log_entries_hash,
                                                DROP CONSTRAINT IF EXISTS log_entries_commitment
                                            """)
                                    try await connection.query("SELECT set_config('rial.log_recovery', 'on', true)")
                                    try await connection.query("UPDATE log_entries SET leaf = \(leaf) WHERE leaf_index = \(Int64(index))")
                                }
                            },
                            damageNote: { size, note in
                                _ = try await owner.query("UPDATE log_checkpoints SET note = \(note) WHERE size = \(Int64(size))")
                            },
                            pending: { try await owner.query("SELECT FROM log_pending").count },
                            close: { next in _ = try await owner.query("UPDATE log_shards SET next_key = \(next.description)") }))
                } catch { failure = error }
                await pool.shutdown()
                await owner.shutdown()
                if let failure { throw failure }
            }
        }
    }
}

enum PostgresLog {
    /// Opens a shard with its leaf 0.
    static func open(_ key: VerifierKey, shard: String = "2026", on database: PostgresPool) async throws {
        let leaf = LogLeaf.shard(previous: nil, head: .empty)
        let head = TreeHead(size: 1, root: leaf.hash)
        let text = String(decoding: Checkpoint(origin: key.name, head: head).text, as: UTF8.self)
        try await database.withTransaction { connection in
            try await connection.query(
                """
                INSERT INTO log_shards (origin, shard, log_key, size, root)
                VALUES (\(key.name.text), \(shard), \(key.description), 1, \(head.root.bytes))
                """)
            try await connection.query(
                """
                INSERT INTO log_entries (origin, leaf_index, leaf, leaf_hash)
                VALUES (\(key.name.text), 0, \(leaf.bytes), \(leaf.hash.bytes))
                """)
            try await connection.query(
                """
                INSERT INTO log_checkpoints (origin, size, root, body) VALUES (\(key.name.text), 1, \(head.root.bytes), \(text))
                """)
        }
    }

    static func add(_ leaf: LogLeaf, notBefore: Date?, on database: PostgresPool) async throws {
        guard case .entry(let kind, let time, let subject, let commitment) = leaf else { return }
        _ = try await database.query(
            """
            INSERT INTO log_pending (commitment, subject, kind, time, not_before)
            VALUES (\(commitment.bytes), \(subject.bytes), \(kind.rawValue), \(time), \(notBefore)) ON CONFLICT DO NOTHING
            """)
    }
}
