import CaptureProtocol
import Logging
import Messaging
import Models
import Persistence
import TestSupport
import Testing

@testable import Delivery

@Suite("Rows of an outbox, in memory and in PostgreSQL", .sharedSchema("outboxes"))
struct OutboxRowsTests {
    private static let headers = [KafkaHeader(name: "a", value: [0, 255]), KafkaHeader(name: "none", value: nil)]

    /// Provides rows with the keys `0`, `1`, `2`, of which the last is a tombstone.
    /// - Parameter service: one whose table no other test uses.
    private func with(_ kind: StoreKind, _ service: ServiceName, _ body: @escaping @Sendable (any OutboxRows) async throws -> Void)
        async throws
    {
        switch kind {
        case .memory:
            let rows = MemoryOutboxRows()
            for key in 0..<3 { rows.append(topic: "t", key: "\(key)", value: key < 2 ? [UInt8(key)] : nil, headers: Self.headers) }
            try await body(rows)
        case .postgres:
            let pool = try #require(TestSchema.shared)
            for key in 0..<3 {
                try await pool.withTransaction {
                    try await Outbox(service).append(
                        topic: Topic(rawValue: "t"), key: "\(key)", headers: Self.headers, value: key < 2 ? [UInt8(key)] : nil, on: $0)
                }
            }
            let listener = PostgresListener(url: "", channels: [], applicationName: "tests", logger: Logger(label: "tests"))
            try await body(PostgresOutboxRows(service: service, database: pool, listener: listener))
        }
    }

    private static func keys(
        _ rows: any OutboxRows, limit: Int = 100, of topics: OutboxTopics = .all(but: [])
    ) async throws -> [String] {
        try await rows.withBatch(limit: limit, of: topics) { ([], $0.map(\.key)) }
    }

    @Test("are given in the order of writing, as they were written, and stay until they are done", arguments: StoreKind.available)
    func order(kind: StoreKind) async throws {
        try await with(kind, .gateway) { rows in
            for _ in 0..<2 { #expect(try await Self.keys(rows, limit: 2) == ["0", "1"]) }
            try await rows.withBatch(limit: 100, of: .all(but: [])) { batch in
                #expect(batch.map(\.value) == [[0], [1], nil] && batch.allSatisfy { $0.topic == "t" && $0.headers == Self.headers })
                return ([], ())
            }
        }
    }

    @Test(
        "written together are as those that were written one by one, in their order",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func together() async throws {
        try await TestSchema.withPools(prefix: "together") { pools in
            let outbox = Outbox(.gateway)
            let events = (0..<3).map { _ in CaptureWithdrawn(captureID: CaptureID()) }
            try await pools[0].withTransaction { connection in
                try await outbox.append(events[0], on: connection)
                try await outbox.append(Array(events.dropFirst()), on: connection)
                try await outbox.append([], on: connection)
            }
            let listener = PostgresListener(url: "", channels: [], applicationName: "tests", logger: Logger(label: "tests"))
            let rows = PostgresOutboxRows(service: .gateway, database: pools[0], listener: listener)
            try await rows.withBatch(limit: 100, of: .all(but: [])) { batch in
                #expect(batch.map(\.key) == events.map(\.captureID.description))
                let values = try events.map { try WireJSON.encode($0) }
                #expect(batch.compactMap(\.value) == values)
                #expect(batch.allSatisfy { $0.topic == CaptureWithdrawn.topic.rawValue })
                #expect(Set(batch.map { $0.headers.map(\.name) }).count == 1 && Set(batch.map { "\($0.headers)" }).count == 3)
                return ([], ())
            }
        }
    }

    @Test("are given of the topics that are asked for", arguments: StoreKind.available)
    func topics(kind: StoreKind) async throws {
        try await with(kind, .attestationVerifier) { rows in
            let two = try await Self.keys(rows, limit: 2, of: .only("t"))
            #expect(two == ["0", "1"])
            #expect(try await Self.keys(rows, of: .only("u")).isEmpty)
            #expect(try await Self.keys(rows, of: .all(but: ["u", "v"])) == ["0", "1", "2"])
            #expect(try await Self.keys(rows, of: .all(but: ["u", "t"])).isEmpty)
            #expect(try await rows.hasAny(of: "t") == true)
            #expect(try await rows.hasAny(of: "u") == false)
        }
    }

    @Test("are deleted when they are done, and no others", arguments: StoreKind.available)
    func done(kind: StoreKind) async throws {
        try await with(kind, .depthAnalyzer) { rows in
            let taken = try await rows.withBatch(limit: 100, of: .all(but: [])) { batch in ([batch[0].id, batch[2].id], batch.count) }
            #expect(taken == 3)
            #expect(try await Self.keys(rows) == ["1"])
        }
    }

    @Test("all stay when publishing fails", arguments: StoreKind.available)
    func failure(kind: StoreKind) async throws {
        try await with(kind, .uploadSync) { rows in
            let failing: @Sendable ([OutboxRow]) async throws -> (done: [Int64], result: Int) = { _ in throw Hiccup() }
            await #expect(throws: Hiccup.self) { try await rows.withBatch(limit: 100, of: .all(but: []), failing) }
            let left = try await Self.keys(rows)
            #expect(left == ["0", "1", "2"])
        }
    }

    @Test("go to one reader at a time", arguments: StoreKind.available)
    func shared(kind: StoreKind) async throws {
        try await with(kind, .evidenceAssembler) { rows in
            let (mine, others) = try await rows.withBatch(limit: 2, of: .all(but: [])) { batch in
                let others = try await Self.keys(rows)
                return (batch.map(\.id), (batch.map(\.key), others))
            }
            #expect(mine == ["0", "1"] && others == ["2"])
            #expect(try await Self.keys(rows) == ["2"])
            let isThere = try await rows.withBatch(limit: 100, of: .all(but: [])) { batch in
                let isThere = try await rows.hasAny(of: "t")
                return (batch.map(\.id), isThere)
            }
            #expect(isThere, "while a reader has the last one")
            #expect(try await rows.hasAny(of: "t") == false)
        }
    }

    @Test(
        "are given to nobody while the gate is closed, which waits for those that somebody has",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func gate() async throws {
        let url = try #require(TestSchema.serverURL)
        try await with(.postgres, .transparencyLog) { rows in
            let gate = PostgresPublishingGate(databaseURL: url)
            let isPublished = Flag()
            let closing = try await rows.withBatch(limit: 1, of: .all(but: [])) { batch in
                #expect(batch.map(\.key) == ["0"])
                let closing = Task {
                    try await gate.closed { check in
                        #expect(isPublished.isSet)
                        #expect(try await Self.keys(rows).isEmpty)
                        #expect(try await rows.hasAny(of: "t") == true)
                        try await check()
                        #expect(try await Self.keys(rows).isEmpty)
                    }
                }
                // It asks for the lock now, and others get nothing any more.
                try await waitUntil("the gate closes") { try await Self.keys(rows).isEmpty }
                isPublished.set()
                return ([batch[0].id], closing)
            }
            try await closing.value
            // The server ends the closed session, and with it the lock, a moment later.
            try await waitUntil("the gate is open again") { try await !Self.keys(rows).isEmpty }
            #expect(try await Self.keys(rows) == ["1", "2"])
        }
    }

    @Test(
        "are given again when who closed the gate is gone",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func brokenGate() async throws {
        let url = try #require(TestSchema.serverURL)
        let pool = try #require(TestSchema.shared)
        await #expect(throws: PostgresError.self) {
            try await PostgresPublishingGate(databaseURL: url).closed { check in
                try await check()
                _ = try await pool.query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rial-publishing-gate'")
                try await check()
            }
        }
        #expect(try await pool.query("SELECT \(PostgresPublishingGate.isOpen) AS is_open").first?.get("is_open") == true)
    }

    @Test(
        "are given again when who closed the gate does not go on, and not while it waits for something else",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func stoppedGate() async throws {
        let url = try #require(TestSchema.serverURL)
        let pool = try #require(TestSchema.shared)
        @Sendable func isOpen() async throws -> Bool {
            try await pool.query("SELECT \(PostgresPublishingGate.isOpen) AS is_open").first?.get("is_open") == true
        }
        try await PostgresPublishingGate(databaseURL: url, timeout: .seconds(8), beat: .milliseconds(100)).closed { check in
            try await Task.sleep(for: .seconds(9))
            let isOpenMeanwhile = try await isOpen()
            #expect(!isOpenMeanwhile)
            try await check()
        }
        await #expect(throws: PostgresError.self) {
            try await PostgresPublishingGate(databaseURL: url, timeout: .seconds(1), beat: .seconds(60)).closed { check in
                try await waitUntil("the gate is open again") { try await isOpen() }
                try await check()
            }
        }
    }
}
