import TestSupport
import Testing

extension SystemTests {
    /// The device library, where nothing lasts.
    @Suite("The device library on a bad network")
    struct QueueFaults {
        private static let size =
            FaultTests.isFull
            ? QueueSoak.Size(captures: 100, kills: 50, gatewayKills: 5) : QueueSoak.Size(captures: 20, kills: 10, gatewayKills: 2)

        @Test(
            "loses and doubles nothing while what adds, sends and receives is killed, and shows nothing of it",
            .timeLimit(.minutes(15)))
        func soak() async throws {
            let soak = try await QueueSoak(Self.size)
            print("\(soak)")
            let stack = soak.phone.stack
            let counts = "SELECT (SELECT count(*) FROM captures) || ' ' || (SELECT count(*) FROM devices)"
            let before = try await stack.numbers(counts)
            try await soak.run()
            let (report, kills) = await (soak.report(), soak.kills)
            print(report)

            let sent = try await soak.phone.captures()
            #expect(sent.count == Self.size.captures, "\(soak)")
            #expect(sent.allSatisfy { $0.state == "uploaded" && $0.has_assertion }, "\(soak)")
            #expect(sent.map(\.captured_at) == sent.map(\.captured_at).sorted(), "\(soak)")
            let ids = sent.compactMap(\.capture_id)
            let list = "'{\(ids.joined(separator: ","))}'"
            try await eventually(within: .seconds(180), "\(soak): all are complete") {
                try await stack.sql("SELECT count(*) FROM captures WHERE status = 'complete' AND id = ANY(\(list))") == ["\(ids.count)"]
            }
            let results = try await stack.sql("SELECT id || ' ' || confidence_level FROM captures WHERE id = ANY(\(list))")
            #expect(results.sorted() == ids.map { "\($0) high" }.sorted(), "\(soak)")
            // No other capture and no other device came of it.
            let after = try await stack.numbers(counts)
            #expect(zip(before, after).map { $1 - $0 } == [Self.size.captures, 1], "\(soak)")

            // Each has its photo, depth map, metadata and assertion, and nothing else is left.
            #expect(Set(try soak.phone.content().map { String($0.prefix(36)) }) == Set(sent.map(\.id)), "\(soak)")
            #expect(try soak.phone.content().count == 4 * sent.count, "\(soak)")
            #expect(soak.phone.files(holdingOneOf: try soak.phone.plainPieces()) == [], "\(soak)")

            // The faults took place.
            #expect(Set(soak.proxy.counts.keys) == Set(ExchangeFault.allCases), "\(report)")
            #expect(soak.proxy.endlessStalls == 0, "\(soak)")
            #expect(kills == Self.size.kills, "\(report)")
        }
    }
}

extension LocalStack {
    /// The numbers, separated by spaces, that a query returns.
    fileprivate func numbers(_ query: String) async throws -> [Int] {
        try await sql(query).joined().split(separator: " ").compactMap { Int($0) }
    }
}
