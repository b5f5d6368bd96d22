import Persistence

@testable import Gateway

/// The repositories over PostgreSQL.
struct PostgresRig: GatewayRig {
    let database: PostgresPool
    /// Another gateway's.
    let other: PostgresPool

    init(pools: [PostgresPool]) { (database, other) = (pools[0], pools[1]) }

    func buckets(atMost rows: Int) -> any TokenBuckets { PostgresTokenBuckets(database: database, maximumRows: rows) }
    var otherBuckets: any TokenBuckets { PostgresTokenBuckets(database: other) }

    func ageBuckets(by seconds: Double) async throws {
        _ = try await database.query("UPDATE rate_limits SET updated_at = updated_at - \(seconds)::float8 * interval '1 second'")
    }

    func bucketNames() async throws -> Set<String> {
        Set(try await database.query("SELECT bucket FROM rate_limits").map { try $0.get("bucket", as: String.self) })
    }
}
