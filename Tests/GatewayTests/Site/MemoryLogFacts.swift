import Foundation
import Persistence
import Site

@testable import Gateway

/// The rows that the page about the log is made from.
struct LogFactsRows: Sendable {
    struct Shard: Sendable {
        let origin: String
        let key: String
        var previous: String?
        let openedAt: Date
        /// `nil` while it is open, of which there is at most one.
        var closedAt: Date?
        /// Closed where it was published last, without a last leaf that counts.
        var isGivenUp = false
        var frozenAt: Date?

        var state: LogFacts.State {
            switch (closedAt, frozenAt) {
            case (nil, nil): .open
            case (nil, let frozen?): .frozen(frozen)
            case (let closed?, _) where isGivenUp: .givenUp(closed)
            case (let closed?, let frozen?): .damaged(closed: closed, since: frozen)
            case (let closed?, nil): .closed(closed)
            }
        }
    }

    struct Checkpoint: Sendable {
        let origin: String
        let size: Int64
        let root: [UInt8]
        /// `nil` if it is committed only: nobody has seen it.
        let publishedAt: Date?
    }

    struct Cosignature: Sendable {
        let origin: String
        let size: Int64
        let witness: String
        let at: Date
        /// When the witness cosigned the same tree again.
        var renewedAt: Date?
    }

    var shards: [Shard] = []
    var checkpoints: [Checkpoint] = []
    var cosignatures: [Cosignature] = []
}

/// Tells from rows in memory what PostgreSQL tells from its own.
struct MemoryLogFacts: LogFactsReading {
    var rows = LogFactsRows()

    func facts() async -> LogFacts {
        let newestFirst = rows.shards.sorted { ($0.openedAt, $0.origin) > ($1.openedAt, $1.origin) }
        return LogFacts(
            shards: newestFirst.map { shard in
                LogFacts.Shard(
                    origin: shard.origin, key: shard.key, previous: shard.previous, published: published(shard.origin),
                    state: shard.state)
            })
    }

    private func published(_ origin: String) -> LogFacts.Published? {
        let published = rows.checkpoints.filter { $0.origin == origin && $0.publishedAt != nil }
        guard let newest = published.max(by: { $0.size < $1.size }), let at = newest.publishedAt else { return nil }
        var last: [String: Date] = [:]
        for cosignature in rows.cosignatures where cosignature.origin == origin && cosignature.size == newest.size {
            let time = cosignature.renewedAt ?? cosignature.at
            last[cosignature.witness] = max(last[cosignature.witness] ?? time, time)
        }
        let witnesses = last.map { LogFacts.Witness(name: $0.key, at: $0.value) }.sorted { ($0.at, $0.name) < ($1.at, $1.name) }
        return LogFacts.Published(size: newest.size, root: newest.root, at: at, witnesses: witnesses)
    }
}

extension LogFactsRows {
    /// Shards that others follow have to come before these.
    func insert(in database: PostgresPool) async throws {
        for shard in shards { try await insert(shard, in: database) }
        for checkpoint in checkpoints {
            _ = try await database.query(
                """
                INSERT INTO log_checkpoints (origin, size, root, body, note, published_at)
                VALUES (\(checkpoint.origin), \(checkpoint.size), \(checkpoint.root), 'body',
                    \(checkpoint.publishedAt.map { _ in "note" }), \(checkpoint.publishedAt))
                """)
        }
        for cosignature in cosignatures {
            _ = try await database.query(
                """
                INSERT INTO log_cosignatures (origin, size, witness, key_id, line, cosigned_at, renewed_line, renewed_at)
                VALUES (\(cosignature.origin), \(cosignature.size), \(cosignature.witness), '00000001', 'line', \(cosignature.at),
                    \(cosignature.renewedAt.map { _ in "line" }), \(cosignature.renewedAt))
                """)
        }
    }

    private func insert(_ shard: Shard, in database: PostgresPool) async throws {
        let own = checkpoints.filter { $0.origin == shard.origin }
        let size = own.map(\.size).max() ?? 0
        let published = own.filter { $0.publishedAt != nil }.map(\.size).max() ?? 0
        let hasLastLeaf = shard.closedAt != nil && !shard.isGivenUp
        let name = shard.origin.split(separator: "/").last.map { String($0) }
        _ = try await database.query(
            """
            INSERT INTO log_shards (origin, shard, log_key, previous, size, root, published_size, opened_at, next_key, end_index, closed_at,
                frozen_reason, frozen_at)
            VALUES (\(shard.origin), \(name), \(shard.key), \(shard.previous), \(size),
                \([UInt8](repeating: 7, count: 32)), \(published), \(shard.openedAt), \(hasLastLeaf ? "key" : nil),
                \(hasLastLeaf ? size - 1 : nil), \(shard.closedAt), \(shard.frozenAt.map { _ in "forked" }), \(shard.frozenAt))
            """)
    }
}
