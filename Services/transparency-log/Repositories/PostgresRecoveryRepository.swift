import CaptureProtocol
import Delivery
import Persistence
import TransparencyLog

/// The log's tables, on a connection with the owner's role that has the sequencer's lock.
struct PostgresRecoveryRepository: RecoveryRepository {
    private static let step: UInt64 = 4096
    let connection: PostgresConnection

    private var rows: LogRows { LogRows { try await connection.query($0) } }

    /// - Returns: `nil` while an instance holds the lock.
    static func locked(url: String) async throws -> PostgresRecoveryRepository? {
        let connection = try await PostgresConnection.connect(
            url: url, applicationName: "transparency-log-recovery", statementTimeout: .zero)
        if try await connection.query(PostgresLogSession.lock).first?.get("is_held", as: Bool.self) == true {
            return PostgresRecoveryRepository(connection: connection)
        }
        await connection.close()
        return nil
    }

    func openShard() async throws -> LogShard? { try await rows.openShard() }
    func shards() async throws -> [LogShard] { try await rows.shards() }
    func leaves(_ range: Range<UInt64>, of origin: TextLine) async throws -> [[UInt8]] { try await rows.leaves(range, of: origin) }

    func published(_ origin: TextLine, limit: Int) async throws -> [CommittedCheckpoint] {
        try await connection.query(
            """
            SELECT size, root, body, note FROM log_checkpoints WHERE origin = \(origin.text) AND note IS NOT NULL
            ORDER BY size DESC LIMIT \(limit)
            """
        ).map { try CommittedCheckpoint($0) }
    }

    func replace(
        _ proved: ProvedTree, leaves: @escaping @Sendable (Range<UInt64>) async throws -> [[UInt8]]
    ) async throws -> Int {
        try await connection.withTransaction { connection in
            let (origin, head) = (proved.shard.origin.text, proved.head)
            try await connection.mayIdle(for: .seconds(600))
            try await connection.query("SELECT set_config('rial.log_recovery', 'on', true)")
            var returned = try await take("leaf_index >= \(Int64(head.size))", of: origin, on: connection)
            var start: UInt64 = 0
            while start < head.size {
                let range = start..<min(head.size, start + Self.step)
                let right = try await leaves(range)
                let known = try await rows.leaves(range, of: proved.shard.origin)
                let wrong = right.indices.filter { $0 >= known.count || known[$0] != right[$0] }
                if !wrong.isEmpty {
                    let indexes = wrong.map { Int64(start) + Int64($0) }
                    returned += try await take("leaf_index = ANY(\(indexes))", of: origin, on: connection)
                    try await insert(wrong.map { right[$0] }, at: indexes, of: origin, on: connection)
                }
                start = range.upperBound
            }
            try await finish(proved, on: connection)
            return try await letWait(returned, on: connection)
        }
    }

    /// Deletes rows.
    /// - Returns: the leaves of the rows that are undamaged. A damaged row's leaf would name no statement; the statement itself is found by
    ///   ``PendingRepository/lookThrough()``.
    private func take(_ which: SQL, of origin: String, on connection: PostgresConnection) async throws -> [[UInt8]] {
        try await connection.query(
            """
            WITH taken AS (DELETE FROM log_entries WHERE origin = \(origin) AND \(which) RETURNING leaf_index, leaf, leaf_hash)
            SELECT leaf FROM taken WHERE leaf_hash = sha256('\\x00' || leaf) ORDER BY leaf_index
            """
        ).map { try $0.get("leaf") }
    }

    private func insert(_ leaves: [[UInt8]], at indexes: [Int64], of origin: String, on connection: PostgresConnection) async throws {
        // Empty where a leaf has none.
        let commitments = leaves.map { LogEntry(leaf: $0)?.commitment.bytes ?? [] }
        try await connection.query(
            """
            INSERT INTO log_entries (origin, leaf_index, leaf, leaf_hash, commitment)
            SELECT \(origin), leaf_index, leaf, leaf_hash, nullif(commitment, '')
            FROM unnest(\(indexes), \(leaves), \(leaves.map { MerkleHash.leaf($0).bytes }), \(commitments))
                AS proved (leaf_index, leaf, leaf_hash, commitment)
            """)
    }

    private func finish(_ proved: ProvedTree, on connection: PostgresConnection) async throws {
        let (origin, head) = (proved.shard.origin.text, proved.head)
        let (text, note) = (String(decoding: proved.note.text, as: UTF8.self), String(decoding: proved.note.bytes, as: UTF8.self))
        try await connection.query("DELETE FROM log_checkpoints WHERE origin = \(origin) AND size > \(Int64(head.size)) AND note IS NULL")
        try await connection.query(
            """
            INSERT INTO log_checkpoints AS known (origin, size, root, body)
            VALUES (\(origin), \(Int64(head.size)), \(head.root.bytes), \(text))
            ON CONFLICT (origin, size) DO UPDATE SET root = excluded.root, body = excluded.body,
                note = CASE WHEN known.note IS NOT NULL THEN \(note) END
            """)
        try await connection.query(
            """
            UPDATE log_shards SET size = \(Int64(head.size)), root = \(head.root.bytes), published_size = \(Int64(proved.publishedSize)),
                next_key = coalesce(\(proved.next?.description), next_key),
                end_index = CASE WHEN \(proved.next != nil) THEN \(Int64(head.size) - 1) END,
                frozen_reason = NULL, frozen_detail = NULL, frozen_at = NULL
            WHERE origin = \(origin)
            """)
    }

    /// They wait in their order, in which they are entered.
    /// - Returns: how many were not entered elsewhere.
    private func letWait(_ leaves: [[UInt8]], on connection: PostgresConnection) async throws -> Int {
        let entries = leaves.compactMap(LogEntry.init(leaf:))
        return try await connection.letWait(
            commitments: entries.map { $0.commitment.bytes }, subjects: entries.map { $0.subject.bytes },
            kinds: entries.map { $0.kind.rawValue }, times: entries.map { Int64($0.time) })
    }
}
