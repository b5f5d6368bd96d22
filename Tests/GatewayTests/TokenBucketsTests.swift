import CaptureProtocol
import HTTPTypes
import Persistence
import Testing

@testable import Gateway

@Suite("Token buckets", .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
struct TokenBucketsTests {
    /// Refills too slowly to affect a test.
    private static let slow = BucketRule(name: "test", burst: 3, perSecond: 1.0 / 3600)

    @Test("a bucket gives as many tokens as it holds, then refuses with the time to wait")
    func burst() async throws {
        try await GatewayDatabase.with { pool in
            let buckets = TokenBuckets(database: pool)
            for left in [2, 1, 0] {
                let allowance = try #require(try await buckets.debit(Self.slow, "a"))
                #expect(allowance.limit == 3 && allowance.remaining == left)
            }
            let refused = try #require(await refusal { try await buckets.debit(Self.slow, "a") })
            #expect(refused.code == .rateLimited)
            #expect(refused.headers[.rateLimitRemaining] == "0")
            let wait = try #require(refused.headers[.retryAfter].flatMap(Int.init))
            #expect((3590...3600).contains(wait))
        }
    }

    @Test("subjects and limits have buckets of their own")
    func separate() async throws {
        try await GatewayDatabase.with { pool in
            let buckets = TokenBuckets(database: pool)
            let one = BucketRule(name: "one", burst: 1, perSecond: 0.001)
            let other = BucketRule(name: "other", burst: 1, perSecond: 0.001)
            try await buckets.debit(one, "a")
            try await buckets.debit(one, "b")
            try await buckets.debit(other, "a")
            #expect(await refusal { try await buckets.debit(one, "a") }?.code == .rateLimited)
        }
    }

    @Test("looking takes nothing, and refuses only what a debit would")
    func peek() async throws {
        try await GatewayDatabase.with { pool in
            let buckets = TokenBuckets(database: pool)
            for _ in 0..<10 { try await buckets.peek(Self.slow, "a") }
            for _ in 0..<3 { try await buckets.debit(Self.slow, "a") }
            #expect(await refusal { try await buckets.peek(Self.slow, "a") }?.code == .rateLimited)
        }
    }

    @Test("a refused debit costs nothing")
    func refusedIsFree() async throws {
        try await GatewayDatabase.with { pool in
            let buckets = TokenBuckets(database: pool)
            for _ in 0..<3 { try await buckets.debit(Self.slow, "a") }
            for _ in 0..<50 { _ = await refusal { try await buckets.debit(Self.slow, "a") } }
            // After an hour one token is available again, regardless of the number of requests.
            try await Self.age(pool, by: "3601 seconds")
            try await buckets.debit(Self.slow, "a")
            #expect(await refusal { try await buckets.debit(Self.slow, "a") }?.code == .rateLimited)
        }
    }

    @Test("time refills a bucket, but not beyond its size")
    func refill() async throws {
        try await GatewayDatabase.with { pool in
            let buckets = TokenBuckets(database: pool)
            for _ in 0..<3 { try await buckets.debit(Self.slow, "a") }
            try await Self.age(pool, by: "30 days")
            for _ in 0..<3 { try await buckets.debit(Self.slow, "a") }
            #expect(await refusal { try await buckets.debit(Self.slow, "a") }?.code == .rateLimited)
        }
    }

    @Test("a clock that goes back takes nothing away")
    func clockBack() async throws {
        try await GatewayDatabase.with { pool in
            let buckets = TokenBuckets(database: pool)
            try await buckets.debit(Self.slow, "a")
            try await Self.age(pool, by: "-1 day")
            #expect(try await buckets.debit(Self.slow, "a")?.remaining == 1)
        }
    }

    @Test("two gateways that ask at once share one bucket exactly")
    func shared() async throws {
        let rule = BucketRule(name: "shared", burst: 17, perSecond: 1.0 / 3600)
        try await GatewayDatabase.with(pools: 2) { pools in
            let granted = await withTaskGroup(of: Bool.self) { group in
                for index in 0..<60 {
                    let buckets = TokenBuckets(database: pools[index % 2])
                    group.addTask { (try? await buckets.debit(rule, "a")) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(granted == 17)
        }
    }

    @Test("a limit of zero is none and touches nothing")
    func off() async throws {
        try await GatewayDatabase.with { pool in
            let buckets = TokenBuckets(database: pool)
            let off = BucketRule(name: "off", burst: 0, perSecond: 0)
            for _ in 0..<5 { #expect(try await buckets.debit(off, "a") == nil) }
            try await buckets.peek(off, "a")
            #expect(try await pool.query("SELECT bucket FROM rate_limits").isEmpty)
        }
    }

    @Test("the sweep forgets old buckets and keeps young ones")
    func sweep() async throws {
        try await GatewayDatabase.with { pool in
            let buckets = TokenBuckets(database: pool)
            try await buckets.debit(Self.slow, "old")
            try await Self.age(pool, by: "25 hours")
            try await buckets.debit(Self.slow, "young")
            try await buckets.sweep()
            let left = try await pool.query("SELECT bucket FROM rate_limits").map { try $0.get("bucket", as: String.self) }
            #expect(left == ["test:young"])
        }
    }

    @Test("a bucket that needs days to fill is not forgotten before")
    func slowBucket() async throws {
        try await GatewayDatabase.with { pool in
            let buckets = TokenBuckets(database: pool)
            // One token an hour: three days after a burst of 100 there are 72.
            let rule = BucketRule(name: "days", burst: 100, perSecond: 1.0 / 3600)
            for _ in 0..<100 { try await buckets.debit(rule, "a") }
            try await Self.age(pool, by: "72 hours")
            try await buckets.sweep()
            #expect(try await buckets.debit(rule, "a")?.remaining == 71)
            // With 71 of 100 tokens the bucket is full again in 29 hours.
            try await Self.age(pool, by: "28 hours")
            try await buckets.sweep()
            #expect(try await pool.query("SELECT bucket FROM rate_limits").count == 1)
            try await Self.age(pool, by: "2 hours")
            try await buckets.sweep()
            #expect(try await pool.query("SELECT bucket FROM rate_limits").isEmpty)
        }
    }

    @Test("there are never more rows than allowed for long: those go that are full soonest")
    func bounded() async throws {
        try await GatewayDatabase.with { pool in
            var buckets = TokenBuckets(database: pool)
            buckets.maximumRows = 10
            for index in 0..<30 { try await buckets.debit(Self.slow, "\(index)") }
            for _ in 0..<2 { try await buckets.debit(Self.slow, "empty") }
            try await buckets.sweep()
            #expect(try await pool.query("SELECT bucket FROM rate_limits").count == 10)
            #expect(try await pool.query("SELECT bucket FROM rate_limits WHERE bucket = 'test:empty'").count == 1)
        }
    }

    private static func age(_ pool: PostgresPool, by interval: String) async throws {
        _ = try await pool.query("UPDATE rate_limits SET updated_at = updated_at - \(unescaped: "interval '\(interval)'")")
    }
}
