import CaptureProtocol
import Delivery
import Persistence
import TransparencyLog

/// The log's tables, as their owner opens, closes and gives up shards; ``LogShards`` has the rules.
struct LogShardTable: Sendable {
    let connection: PostgresConnection

    /// Lets nobody else open a shard before the transaction ends.
    func lock() async throws { try await connection.query("LOCK TABLE log_shards IN SHARE ROW EXCLUSIVE MODE") }

    /// In the order in which they were opened.
    func all() async throws -> [LogShards.Shard] {
        try await connection.query(
            """
            SELECT origin, shard, log_key, size, root, published_size, next_key, closed_at IS NOT NULL AS is_closed,
                closed_at IS NOT NULL AND end_index IS NULL AS is_given_up, frozen_reason, frozen_detail
            FROM log_shards ORDER BY opened_at
            """
        ).map { try LogShards.Shard($0) }
    }

    /// How many statements wait to be entered.
    func pending() async throws -> Int64 {
        let rows = try await connection.query("SELECT count(*) AS pending FROM log_pending")
        return try rows.first?.get("pending", as: Int64.self) ?? 0
    }

    /// The root of a checkpoint; `nil` if there is none of this size.
    func root(of origin: String, size: Int64) async throws -> ContentDigest? {
        let rows = try await connection.query("SELECT root FROM log_checkpoints WHERE origin = \(origin) AND size = \(size)")
        return try rows.first.flatMap { ContentDigest(bytes: try $0.get("root", as: [UInt8].self)) }
    }

    /// Adds a shard with its leaf 0 and the checkpoint of that, which nobody has signed yet.
    func insert(_ shard: String, key: VerifierKey, previous: String?, leaf: LogLeaf) async throws {
        let head = TreeHead(size: 1, root: leaf.hash)
        let text = String(decoding: Checkpoint(origin: key.name, head: head).text, as: UTF8.self)
        try await connection.query(
            """
            INSERT INTO log_shards (origin, shard, log_key, previous, size, root)
            VALUES (\(key.name.text), \(shard), \(key.description), \(previous), 1, \(head.root.bytes))
            """)
        try await connection.query(
            """
            INSERT INTO log_entries (origin, leaf_index, leaf, leaf_hash)
            VALUES (\(key.name.text), 0, \(leaf.bytes), \(leaf.hash.bytes))
            """)
        try await connection.query(
            "INSERT INTO log_checkpoints (origin, size, root, body) VALUES (\(key.name.text), 1, \(head.root.bytes), \(text))")
    }

    /// Names the key with which an open shard ends.
    /// - Returns: false if it is closed, or ends with another key.
    func setNext(_ next: VerifierKey, of shard: LogShards.Shard) async throws -> Bool {
        try await connection.affected(
            """
            UPDATE log_shards SET next_key = \(next.description)
            WHERE origin = \(shard.origin) AND closed_at IS NULL AND (next_key IS NULL OR next_key = \(next.description))
            """) == 1
    }

    /// Takes out what was entered and never published, and lets it wait in its order, except damaged rows.
    func takeUnpublished(of shard: LogShards.Shard) async throws {
        // A trigger refuses to delete entries otherwise.
        try await connection.query("SELECT set_config('rial.log_recovery', 'on', true)")
        let leaves = try await connection.query(
            """
            WITH taken AS (
                DELETE FROM log_entries WHERE origin = \(shard.origin) AND leaf_index >= \(shard.publishedSize)
                RETURNING leaf_index, leaf, leaf_hash
            ) SELECT leaf FROM taken WHERE leaf_hash = sha256('\\x00' || leaf) ORDER BY leaf_index
            """
        ).map { try $0.get("leaf", as: [UInt8].self) }
        let entries = leaves.compactMap(LogEntry.init(leaf:))
        try await connection.letWait(
            commitments: entries.map { $0.commitment.bytes }, subjects: entries.map { $0.subject.bytes },
            kinds: entries.map { $0.kind.rawValue }, times: entries.map { Int64($0.time) })
        try await connection.query("DELETE FROM log_checkpoints WHERE origin = \(shard.origin) AND note IS NULL")
    }

    /// Ends a frozen shard where it was published last. Of one that is closed only its last leaf is forgotten, which says that it was given
    /// up.
    /// - Returns: false if it was given up before, or is not frozen any more.
    func end(_ shard: LogShards.Shard) async throws -> Bool {
        try await connection.affected(
            """
            UPDATE log_shards SET size = published_size, closed_at = coalesce(closed_at, now()), end_index = NULL,
                next_key = CASE WHEN end_index < published_size THEN next_key END,
                root = CASE WHEN closed_at IS NOT NULL THEN root WHEN published_size = 0 THEN \(MerkleHash.empty.bytes) ELSE
                    (SELECT root FROM log_checkpoints WHERE log_checkpoints.origin = log_shards.origin AND size = published_size) END
            WHERE origin = \(shard.origin) AND frozen_reason IS NOT NULL AND (closed_at IS NULL OR end_index IS NOT NULL)
            """) == 1
    }
}

extension LogShards.Shard {
    fileprivate init(_ row: Row) throws {
        origin = try row.get("origin")
        shard = try row.get("shard")
        key = try row.get("log_key")
        size = try row.get("size")
        guard let root = ContentDigest(bytes: try row.get("root", as: [UInt8].self)) else {
            throw CommandFailure("The shard \(shard) has no root of 32 bytes.")
        }
        self.root = root
        publishedSize = try row.get("published_size")
        next = try row.getOptional("next_key")
        isClosed = try row.get("is_closed")
        isGivenUp = try row.get("is_given_up")
        frozen = try row.getOptional("frozen_reason")
        detail = try row.getOptional("frozen_detail")
    }
}
