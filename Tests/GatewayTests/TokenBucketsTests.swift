import CaptureProtocol
import HTTPTypes
import Testing

@testable import Gateway

@Suite("Token buckets, in memory and in PostgreSQL")
struct TokenBucketsTests {
    /// Refills too slowly to affect a test.
    private static let slow = BucketRule(name: "test", burst: 3, perSecond: 1.0 / 3600)
    private static let day = 86_400.0

    @Test("a bucket gives as many tokens as it holds, then refuses with the time to wait", arguments: Backend.available)
    func burst(backend: Backend) async throws {
        try await backend.with { rig in
            let buckets = rig.buckets
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

    @Test("subjects and limits have buckets of their own", arguments: Backend.available)
    func separate(backend: Backend) async throws {
        try await backend.with { rig in
            let buckets = rig.buckets
            let one = BucketRule(name: "one", burst: 1, perSecond: 0.001)
            let other = BucketRule(name: "other", burst: 1, perSecond: 0.001)
            try await buckets.debit(one, "a")
            try await buckets.debit(one, "b")
            try await buckets.debit(other, "a")
            #expect(await refusal { try await buckets.debit(one, "a") }?.code == .rateLimited)
        }
    }

    @Test("looking takes nothing, and refuses only what a debit would", arguments: Backend.available)
    func peek(backend: Backend) async throws {
        try await backend.with { rig in
            let buckets = rig.buckets
            for _ in 0..<10 { try await buckets.peek(Self.slow, "a") }
            for _ in 0..<3 { try await buckets.debit(Self.slow, "a") }
            #expect(await refusal { try await buckets.peek(Self.slow, "a") }?.code == .rateLimited)
        }
    }

    @Test("a refused debit costs nothing", arguments: Backend.available)
    func refusedIsFree(backend: Backend) async throws {
        try await backend.with { rig in
            let buckets = rig.buckets
            for _ in 0..<3 { try await buckets.debit(Self.slow, "a") }
            for _ in 0..<50 { _ = await refusal { try await buckets.debit(Self.slow, "a") } }
            // After an hour one token is available again, regardless of the number of requests.
            try await rig.ageBuckets(by: 3601)
            try await buckets.debit(Self.slow, "a")
            #expect(await refusal { try await buckets.debit(Self.slow, "a") }?.code == .rateLimited)
        }
    }

    @Test("time refills a bucket, but not beyond its size", arguments: Backend.available)
    func refill(backend: Backend) async throws {
        try await backend.with { rig in
            let buckets = rig.buckets
            for _ in 0..<3 { try await buckets.debit(Self.slow, "a") }
            try await rig.ageBuckets(by: 30 * Self.day)
            for _ in 0..<3 { try await buckets.debit(Self.slow, "a") }
            #expect(await refusal { try await buckets.debit(Self.slow, "a") }?.code == .rateLimited)
        }
    }

    @Test("a clock that is corrected a little takes nothing away, and gives nothing", arguments: Backend.available)
    func clockCorrected(backend: Backend) async throws {
        try await backend.with { rig in
            let buckets = rig.buckets
            try await buckets.debit(Self.slow, "a")
            try await rig.ageBuckets(by: -30)
            #expect(try await buckets.debit(Self.slow, "a")?.remaining == 1)
        }
    }

    @Test("a clock that is set back by hours keeps no bucket empty for as long", arguments: Backend.available)
    func clockBack(backend: Backend) async throws {
        try await backend.with { rig in
            let buckets = rig.buckets
            for _ in 0..<3 { try await buckets.debit(Self.slow, "a") }
            #expect(await refusal { try await buckets.debit(Self.slow, "a") }?.code == .rateLimited)
            try await rig.ageBuckets(by: -6 * 3600)
            try await buckets.peek(Self.slow, "a")
            #expect(try await buckets.debit(Self.slow, "a")?.remaining == 2)
            // From then on it counts by the new time.
            #expect(try await buckets.debit(Self.slow, "a")?.remaining == 1)
            try await rig.ageBuckets(by: -6 * 3600)
            try await buckets.debit(Self.slow, "young")
            try await buckets.sweep()
            let left = try await rig.bucketNames()
            #expect(left == ["test:young"])
        }
    }

    @Test("two gateways that ask at once share one bucket exactly", arguments: Backend.available)
    func shared(backend: Backend) async throws {
        let rule = BucketRule(name: "shared", burst: 17, perSecond: 1.0 / 3600)
        try await backend.with { rig in
            let granted = await withTaskGroup(of: Bool.self) { group in
                for index in 0..<60 {
                    let buckets = index % 2 == 0 ? rig.buckets : rig.otherBuckets
                    group.addTask { (try? await buckets.debit(rule, "a")) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(granted == 17)
        }
    }

    @Test("a limit of zero is none and touches nothing", arguments: Backend.available)
    func off(backend: Backend) async throws {
        try await backend.with { rig in
            let buckets = rig.buckets
            let off = BucketRule(name: "off", burst: 0, perSecond: 0)
            for _ in 0..<5 { #expect(try await buckets.debit(off, "a") == nil) }
            try await buckets.peek(off, "a")
            let names = try await rig.bucketNames()
            #expect(names.isEmpty)
        }
    }

    @Test("the sweep forgets old buckets and keeps young ones", arguments: Backend.available)
    func sweep(backend: Backend) async throws {
        try await backend.with { rig in
            let buckets = rig.buckets
            try await buckets.debit(Self.slow, "old")
            try await rig.ageBuckets(by: 25 * 3600)
            try await buckets.debit(Self.slow, "young")
            try await buckets.sweep()
            let left = try await rig.bucketNames()
            #expect(left == ["test:young"])
        }
    }

    @Test("a bucket that needs days to fill is not forgotten before", arguments: Backend.available)
    func slowBucket(backend: Backend) async throws {
        try await backend.with { rig in
            let buckets = rig.buckets
            // One token an hour: three days after a burst of 100 there are 72.
            let rule = BucketRule(name: "days", burst: 100, perSecond: 1.0 / 3600)
            for _ in 0..<100 { try await buckets.debit(rule, "a") }
            try await rig.ageBuckets(by: 3 * Self.day)
            try await buckets.sweep()
            #expect(try await buckets.debit(rule, "a")?.remaining == 71)
            // With 71 of 100 tokens the bucket is full again in 29 hours.
            try await rig.ageBuckets(by: 28 * 3600)
            try await buckets.sweep()
            let kept = try await rig.bucketNames()
            #expect(kept.count == 1)
            try await rig.ageBuckets(by: 2 * 3600)
            try await buckets.sweep()
            let left = try await rig.bucketNames()
            #expect(left.isEmpty)
        }
    }

    @Test("there are never more than allowed for long: those go that are full soonest", arguments: Backend.available)
    func bounded(backend: Backend) async throws {
        try await backend.with { rig in
            let buckets = rig.buckets(atMost: 10)
            for index in 0..<30 { try await buckets.debit(Self.slow, "\(index)") }
            for _ in 0..<2 { try await buckets.debit(Self.slow, "empty") }
            try await buckets.sweep()
            let left = try await rig.bucketNames()
            #expect(left.count == 10 && left.contains("test:empty"))
        }
    }
}
