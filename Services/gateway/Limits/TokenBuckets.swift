import Foundation
import HTTPTypes
import Metrics
import Persistence

/// Token buckets in PostgreSQL, shared by all gateways. The database's clock is everyone's.
struct TokenBuckets: Sendable {
    let database: PostgresPool
    /// What is kept at most, whatever clients do: beyond it those are forgotten that are full soonest.
    var maximumRows = 1_000_000

    /// Takes a token.
    /// - Returns: headers that tell what is left.
    /// - Throws: `RATE_LIMITED` if there is none.
    @discardableResult
    func debit(_ rule: BucketRule, _ subject: String) async throws -> HTTPFields {
        guard !rule.isOff else { return [:] }
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
        return headers(rule, tokens: try row.get("tokens"))
    }

    /// Looks without taking.
    /// - Throws: `RATE_LIMITED` if there is no token.
    func look(_ rule: BucketRule, _ subject: String) async throws {
        guard !rule.isOff else { return }
        let tokens = try await tokens(rule, subject)
        if tokens < 1 { throw limited(rule, tokens: tokens) }
    }

    /// Forgets buckets that are full again: their absence says the same.
    func sweep() async throws {
        _ = try await database.query("DELETE FROM rate_limits WHERE \(Self.fullAt) < now()")
        _ = try await database.query(
            """
            DELETE FROM rate_limits WHERE bucket IN (
                SELECT bucket FROM rate_limits ORDER BY \(Self.fullAt)
                LIMIT greatest(0, (SELECT count(*) FROM rate_limits) - \(Int64(maximumRows))))
            """)
    }

    private static let fullAt: SQL = "(updated_at + seconds_to_full * interval '1 second')"
    private static let age: SQL = "greatest(0, extract(epoch FROM now() - held.updated_at)::float8)"

    private func tokens(_ rule: BucketRule, _ subject: String) async throws -> Double {
        let rows = try await database.query(
            """
            SELECT least(\(rule.burst), held.tokens + \(rule.perSecond) * \(Self.age)) AS tokens
            FROM rate_limits AS held WHERE bucket = \("\(rule.name):\(subject)")
            """)
        return try rows.first?.get("tokens") ?? rule.burst
    }

    private func limited(_ rule: BucketRule, tokens: Double) -> APIError {
        Counter(label: "rial_rate_limited_total", dimensions: [("limit", rule.name)]).increment()
        let wait = rule.perSecond > 0 ? min(((1 - tokens) / rule.perSecond).rounded(.up), 86_400) : 86_400
        var headers = self.headers(rule, tokens: 0)
        headers[.retryAfter] = String(max(Int(wait), 1))
        return APIError(.rateLimited, "Too many requests; try again later.", headers: headers)
    }

    /// `RateLimit-…` of draft-ietf-httpapi-ratelimit-headers: the bucket's size, what is left, seconds until it is full.
    private func headers(_ rule: BucketRule, tokens: Double) -> HTTPFields {
        let left = max(tokens, 0)
        let full = rule.perSecond > 0 ? min(((rule.burst - left) / rule.perSecond).rounded(.up), 1e9) : 0
        return [
            .rateLimitLimit: String(Int(rule.burst)), .rateLimitRemaining: String(Int(left)), .rateLimitReset: String(Int(full)),
        ]
    }
}
