import Foundation
import Persistence
import Site

/// Reads the log's tables, which `transparency-log` writes.
struct PostgresLogFactsReading: LogFactsReading {
    let database: PostgresPool

    func facts() async throws -> LogFacts {
        let rows = try await database.query(
            """
            SELECT log_shards.origin, log_key, previous, closed_at, end_index, frozen_at, newest.size, newest.root, published_at,
                (SELECT json_agg(json_build_object('name', witness, 'at', extract(epoch FROM at)) ORDER BY at, witness)
                    FROM (SELECT witness, max(coalesce(renewed_at, cosigned_at)) AS at FROM log_cosignatures
                        WHERE log_cosignatures.origin = log_shards.origin AND log_cosignatures.size = newest.size
                        GROUP BY witness) AS cosigned) AS witnesses
            FROM log_shards
            LEFT JOIN LATERAL (SELECT size, root, published_at FROM log_checkpoints
                WHERE log_checkpoints.origin = log_shards.origin AND published_at IS NOT NULL
                ORDER BY size DESC LIMIT 1) AS newest ON true
            ORDER BY opened_at DESC, log_shards.origin DESC
            """)
        return LogFacts(shards: try rows.map(Self.shard))
    }

    private static func shard(_ row: Row) throws -> LogFacts.Shard {
        LogFacts.Shard(
            origin: try row.get("origin"), key: try row.get("log_key"), previous: try row.getOptional("previous"),
            published: try published(row), state: try state(row))
    }

    private static func state(_ row: Row) throws -> LogFacts.State {
        let frozen = try row.getOptional("frozen_at", as: Date.self)
        guard let closed = try row.getOptional("closed_at", as: Date.self) else { return frozen.map(LogFacts.State.frozen) ?? .open }
        // One that was given up has no last leaf that counts, and what was wrong with it stays on record.
        guard try row.getOptional("end_index", as: Int64.self) != nil else { return .givenUp(closed) }
        return frozen.map { .damaged(closed: closed, since: $0) } ?? .closed(closed)
    }

    /// - Returns: `nil` if no checkpoint is published.
    private static func published(_ row: Row) throws -> LogFacts.Published? {
        guard let at = try row.getOptional("published_at", as: Date.self) else { return nil }
        let witnesses = try row.getOptional("witnesses", as: PostgresJSON.self)?.decode([StoredWitness].self) ?? []
        return LogFacts.Published(
            size: try row.get("size"), root: try row.get("root"), at: at,
            witnesses: witnesses.map { LogFacts.Witness(name: $0.name, at: Date(timeIntervalSince1970: $0.at)) })
    }

    private struct StoredWitness: Decodable {
        let name: String
        /// POSIX seconds.
        let at: Double
    }
}
