import CaptureProtocol
import Persistence
import TransparencyLog

/// The log's shards, as their owner opens, closes and gives them up.
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
    }

    let connection: PostgresConnection

    private var table: LogShardTable { LogShardTable(connection: connection) }

    static func with<T: Sendable>(_ body: @Sendable (LogShards) async throws -> T) async throws -> T {
        let url = try OperatorSettings().databaseURL()
        let connection = try await StartupRetry(dependency: "PostgreSQL") {
            try await PostgresConnection.connect(url: url, applicationName: "rial-log")
        }
        return try await connection.closing { try await body(LogShards(connection: $0)) }
    }

    /// In the order in which they were opened.
    func all() async throws -> [Shard] { try await table.all() }

    /// How many statements wait to be entered.
    func pending() async throws -> Int64 { try await table.pending() }

    /// Opens a shard with its leaf 0, which names the shard before it: committed, and published by the service in its first round.
    /// - Throws: `CommandFailure` if another one is open, or was closed for another key, or has this one.
    func open(_ shard: String, key: VerifierKey) async throws {
        try await connection.withTransaction { connection in
            let table = LogShardTable(connection: connection)
            try await table.lock()
            let known = try await table.all()
            if let open = known.first(where: { !$0.isClosed }) { throw CommandFailure("The shard \(open.shard) is open: close it first.") }
            let before = known.last
            if let before, let next = before.next, next != key.description {
                throw CommandFailure("The shard \(before.shard) ends with the key \(next): open this one with it, or none.")
            }
            try Self.requireNew(key, beside: known)
            // For a shard that was given up, this is what was published of it.
            let previous = try await Self.finalTree(of: before, in: table)
            let leaf = LogLeaf.shard(previous: before.flatMap { TextLine($0.origin) }, head: previous)
            try await table.insert(shard, key: key, previous: before?.origin, leaf: leaf)
        }
    }

    /// The name of a key is not what it signs with: a policy that has one key twice, under two names, is refused.
    private static func requireNew(_ key: VerifierKey, beside shards: [Shard]) throws {
        if let known = try shards.first(where: { try VerifierKey($0.key).isSameKey(as: key) }) {
            throw CommandFailure("The shard \(known.shard) has this key: each needs one of its own.")
        }
    }

    private static func finalTree(of shard: Shard?, in table: LogShardTable) async throws -> TreeHead {
        // There was none, or it was given up before anything of it was published.
        guard let shard, shard.publishedSize > 0 else { return .empty }
        guard let root = try await table.root(of: shard.origin, size: shard.publishedSize) else {
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
        guard try await table.setNext(next, of: shard) else {
            throw CommandFailure("The shard \(shard.shard) is being closed for another key already.")
        }
    }

    /// Gives a frozen shard up: nothing more is entered, and what was entered but never published waits for the next one, in order. A last
    /// leaf that was published still names the next key. Of one that is closed only that changes: it is not recovered any more. What a
    /// damaged row says is not carried on: the service finds its statement again.
    /// - Throws: `CommandFailure` if it was given up before, or is not frozen any more.
    func giveUp(_ shard: Shard) async throws {
        try await connection.withTransaction { connection in
            let table = LogShardTable(connection: connection)
            try await table.takeUnpublished(of: shard)
            guard try await table.end(shard) else {
                throw CommandFailure("The shard \(shard.shard) was given up before, or is not frozen any more.")
            }
        }
    }
}
