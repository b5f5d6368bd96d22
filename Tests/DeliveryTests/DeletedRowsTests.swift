import Models
import Persistence
import TestSupport
import Testing

@testable import Delivery

@Suite(
    "Old rows of PostgreSQL", .sharedSchema("deleted_rows"),
    .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
struct DeletedRowsTests {
    /// - Parameter service: one whose tables no other test uses.
    private func insert(_ count: Int, daysOld days: Int, into service: ServiceName, _ pool: PostgresPool) async throws {
        _ = try await pool.query(
            """
            INSERT INTO \(unescaped: service.inboxTable) (consumer, event_id, received_at)
            SELECT 'old', gen_random_uuid(), now() - \(days) * interval '1 day' FROM generate_series(1, \(count))
            """)
    }

    private func left(_ service: ServiceName, _ pool: PostgresPool) async throws -> Int {
        try await pool.query("SELECT event_id FROM \(unescaped: service.inboxTable)").count
    }

    @Test("are all deleted, however many more than a batch there are, and no others", .serialized, arguments: [0, 9, 10, 25, 30])
    func batches(old: Int) async throws {
        let pool = try #require(TestSchema.shared)
        try await insert(old, daysOld: 15, into: .gateway, pool)
        try await insert(1, daysOld: 13, into: .gateway, pool)
        let before = try await left(.gateway, pool)
        try await pool.deleteRows(of: "gateway_inbox", by: "received_at", olderThan: "interval '14 days'", batchSize: 10)
        let after = try await left(.gateway, pool)
        #expect(before - after == old)
    }

    @Test("stay after the first batch if their task is ending")
    func ending() async throws {
        let pool = try #require(TestSchema.shared)
        try await insert(25, daysOld: 15, into: .depthAnalyzer, pool)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await pool.deleteRows(of: "depth_analyzer_inbox", by: "received_at", olderThan: "interval '14 days'", batchSize: 10)
        }
        try await task.value
        #expect(try await left(.depthAnalyzer, pool) == 15)
    }

    @Test("are those of an inbox after fourteen days, and what is in hand as long")
    func inbox() async throws {
        let pool = try #require(TestSchema.shared)
        for days in [13, 15] {
            try await insert(1, daysOld: days, into: .uploadSync, pool)
            _ = try await pool.query(
                """
                INSERT INTO upload_sync_in_hand (consumer, event_id, noted_at)
                VALUES ('old', gen_random_uuid(), now() - \(days) * interval '1 day')
                """)
        }
        try await Inbox(.uploadSync).sweep(pool)
        #expect(try await left(.uploadSync, pool) == 1)
        #expect(try await pool.query("SELECT event_id FROM upload_sync_in_hand").count == 1)
    }
}
