import CaptureProtocol
import Delivery
import Foundation
import Persistence
import TransparencyLog

/// The rows of the log's shards, as their owner opens and closes them.
struct LogShards: Sendable {
    struct Shard: Sendable {
        let origin: String
        let shard: String
        let key: String
        let size: Int64
        let root: ContentDigest
        let publishedSize: Int64
        let next: String?
        let isClosed: Bool
        /// Closed without a last leaf.
        let isGivenUp: Bool
        let frozen: String?
        let detail: String?

        init(_ row: Row) throws {
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

    let connection: PostgresConnection

    static func with<T: Sendable>(_ body: @Sendable (LogShards) async throws -> T) async throws -> T {
        let url = try OperatorSettings().databaseURL()
        let connection = try await StartupRetry(dependency: "PostgreSQL") {
            try await PostgresConnection.connect(url: url, applicationName: "rial-log")
        }
        return try await connection.closing { try await body(LogShards(connection: $0)) }
    }

    /// In the order in which they were opened.
    func all() async throws -> [Shard] {
        try await connection.query(
            """
            SELECT origin, shard, log_key, size, root, published_size, next_key, closed_at IS NOT NULL AS is_closed,
                closed_at IS NOT NULL AND end_index IS NULL AS is_given_up, frozen_reason, frozen_detail
            FROM log_shards ORDER BY opened_at
            """
        ).map { try Shard($0) }
    }

    /// Opens a shard with its leaf 0, which names the shard before it: committed, and published by the service in its first round.
    /// - Throws: `CommandFailure` if another one is open, or was closed for another key, or has this one.
    func open(_ shard: String, key: VerifierKey) async throws {
        try await connection.withTransaction { connection in
            try await connection.query("LOCK TABLE log_shards IN SHARE ROW EXCLUSIVE MODE")
            let known = try await LogShards(connection: connection).all()
            if let open = known.first(where: { !$0.isClosed }) { throw CommandFailure("The shard \(open.shard) is open: close it first.") }
            let before = known.last
            if let before, let next = before.next, next != key.description {
                throw CommandFailure("The shard \(before.shard) ends with the key \(next): open this one with it, or none.")
            }
            try Self.requireNew(key, beside: known)
            // For a shard that was given up, this is what was published of it.
            let previous = try await before.asyncMap { try await LogShards(connection: connection).finalTree(of: $0) }
            let leaf = LogLeaf.shard(previous: before.flatMap { TextLine($0.origin) }, head: previous ?? .empty)
            let head = TreeHead(size: 1, root: leaf.hash)
            let text = String(decoding: Checkpoint(origin: key.name, head: head).text, as: UTF8.self)
            try await connection.query(
                """
                INSERT INTO log_shards (origin, shard, log_key, previous, size, root)
                VALUES (\(key.name.text), \(shard), \(key.description), \(before?.origin), 1, \(head.root.bytes))
                """)
            try await connection.query(
                """
                INSERT INTO log_entries (origin, leaf_index, leaf, leaf_hash) VALUES (\(key.name.text), 0, \(leaf.bytes), \(leaf.hash.bytes))
                """)
            try await connection.query(
                "INSERT INTO log_checkpoints (origin, size, root, body) VALUES (\(key.name.text), 1, \(head.root.bytes), \(text))")
        }
    }

    /// The name of a key is not what it signs with: a policy that has one key twice, under two names, is refused.
    private static func requireNew(_ key: VerifierKey, beside shards: [Shard]) throws {
        if let known = try shards.first(where: { try VerifierKey($0.key).isSameKey(as: key) }) {
            throw CommandFailure("The shard \(known.shard) has this key: each needs one of its own.")
        }
    }

    private func finalTree(of shard: Shard) async throws -> TreeHead {
        // Given up before anything of it was published.
        guard shard.publishedSize > 0 else { return .empty }
        let rows = try await connection.query(
            "SELECT root FROM log_checkpoints WHERE origin = \(shard.origin) AND size = \(shard.publishedSize)")
        guard let root = try rows.first.flatMap({ ContentDigest(bytes: try $0.get("root", as: [UInt8].self)) }) else {
            throw CommandFailure("The last checkpoint of the shard \(shard.shard) is not in the database.")
        }
        return TreeHead(size: UInt64(shard.publishedSize), root: root)
    }

    /// Asks the service to enter the last leaf.
    /// - Throws: `CommandFailure` if it is being closed for another key, or if no shard can be opened with this one. The last leaf names
    ///   the key for ever, so that one which cannot be opened would end the log.
    func close(_ shard: Shard, next: VerifierKey) async throws {
        let known = try await all()
        try Self.requireNew(next, beside: known)
        // The host may be another one: the installation's address may have changed since this shard was opened.
        guard let name = LogOrigin.shard(in: next.name) else {
            throw CommandFailure("The key's name must be the next shard's origin, HOST/log/SHARD, not \(next.name).")
        }
        guard !known.contains(where: { $0.shard == name || $0.origin == next.name.text }) else {
            throw CommandFailure("There is a shard \(name) already: the next one needs another name.")
        }
        let changed = try await connection.affected(
            """
            UPDATE log_shards SET next_key = \(next.description)
            WHERE origin = \(shard.origin) AND closed_at IS NULL AND (next_key IS NULL OR next_key = \(next.description))
            """)
        guard changed == 1 else { throw CommandFailure("The shard \(shard.shard) is being closed for another key already.") }
    }

    /// Gives a frozen shard up: nothing more is entered, and what was entered but never published waits for the next one, in order. A last
    /// leaf that was published still names the next key. Of one that is closed only that changes: it is not recovered any more. What a
    /// damaged row says is not carried on: the service finds its statement again.
    /// - Throws: `CommandFailure` if it was given up before, or is not frozen any more.
    func giveUp(_ shard: Shard) async throws {
        try await connection.withTransaction { connection in
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
            let changed = try await connection.affected(
                """
                UPDATE log_shards SET size = published_size, closed_at = coalesce(closed_at, now()), end_index = NULL,
                    next_key = CASE WHEN end_index < published_size THEN next_key END,
                    root = CASE WHEN closed_at IS NOT NULL THEN root WHEN published_size = 0 THEN \(MerkleHash.empty.bytes) ELSE
                        (SELECT root FROM log_checkpoints WHERE log_checkpoints.origin = log_shards.origin AND size = published_size) END
                WHERE origin = \(shard.origin) AND frozen_reason IS NOT NULL AND (closed_at IS NULL OR end_index IS NOT NULL)
                """)
            guard changed == 1 else { throw CommandFailure("The shard \(shard.shard) was given up before, or is not frozen any more.") }
        }
    }
}

extension Optional {
    fileprivate func asyncMap<T>(_ body: (Wrapped) async throws -> T) async rethrows -> T? {
        guard let self else { return nil }
        return try await body(self)
    }
}
