import Metrics
import Persistence

/// Token buckets in `rate_limits`, shared by all gateway instances. They use the database's clock: a bucket that was used in its future, so
/// that the clock was set back, counts as full.
struct PostgresTokenBuckets: TokenBuckets {
    let database: PostgresPool
    /// The maximum number of rows; beyond it, the buckets that will be full soonest are deleted.
    var maximumRows = 1_000_000

    @discardableResult
    func debit(_ rule: BucketRule, _ subject: String) async throws -> RateAllowance? {
        guard !rule.isOff else { return nil }
        let rows = try await database.query(
            """
            INSERT INTO rate_limits AS held (bucket, tokens, updated_at, seconds_to_full)
            VALUES (\("\(rule.name):\(subject)"), \(rule.burst - 1), now(), \(rule.seconds(toRefill: 1)))
            ON CONFLICT (bucket) DO UPDATE SET
                tokens = least(\(rule.burst), held.tokens + \(rule.perSecond) * \(Self.age)) - 1, updated_at = now(),
                seconds_to_full = \(rule.seconds(toRefill: 1)) * (1 + \(rule.burst)
                    - least(\(rule.burst), held.tokens + \(rule.perSecond) * \(Self.age)))
            WHERE least(\(rule.burst), held.tokens + \(rule.perSecond) * \(Self.age)) >= 1
            RETURNING tokens
            """)
        guard let row = rows.first else { throw limited(rule, tokens: try await tokens(rule, subject)) }
        return RateAllowance(rule, tokens: try row.get("tokens"))
    }

    func peek(_ rule: BucketRule, _ subject: String) async throws {
        guard !rule.isOff else { return }
        let tokens = try await tokens(rule, subject)
        if tokens < 1 { throw limited(rule, tokens: tokens) }
    }

    func sweep() async throws {
        _ = try await database.query("DELETE FROM rate_limits WHERE \(Self.fullAt) < now() OR updated_at > now() + \(Self.slack)")
        _ = try await database.query(
            """
            DELETE FROM rate_limits WHERE bucket IN (
                SELECT bucket FROM rate_limits ORDER BY \(Self.fullAt)
                LIMIT greatest(0, (SELECT count(*) FROM rate_limits) - \(Int64(maximumRows))))
            """)
    }

    private static let fullAt: SQL = "(updated_at + seconds_to_full * interval '1 second')"
    /// So far ahead a bucket may lie: the clock may have been corrected a little.
    private static let slack: SQL = "interval '1 minute'"
    /// Seconds since a bucket was used last, or enough to fill any.
    private static let age: SQL = """
        CASE WHEN held.updated_at > now() + \(slack) THEN 1e10
            ELSE greatest(0, extract(epoch FROM now() - held.updated_at)::float8) END
        """

    private func tokens(_ rule: BucketRule, _ subject: String) async throws -> Double {
        let rows = try await database.query(
            """
            SELECT least(\(rule.burst), held.tokens + \(rule.perSecond) * \(Self.age)) AS tokens
            FROM rate_limits AS held WHERE bucket = \("\(rule.name):\(subject)")
            """)
        return try rows.first?.get("tokens") ?? rule.burst
    }

    private func limited(_ rule: BucketRule, tokens: Double) -> RateLimitExceeded {
        Counter(label: "rial_rate_limited_total", dimensions: [("limit", rule.name)]).increment()
        return RateLimitExceeded(rule, tokens: tokens)
    }
}
