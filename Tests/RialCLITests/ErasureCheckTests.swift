import CaptureProtocol
import Persistence
import TestSupport
import Testing

@testable import RialCLI

@Suite(
    "What is left of a withdrawn capture, in PostgreSQL",
    .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
struct ErasureCheckTests {
    @Test("is looked for in every table but those of the public log, which grow for ever and name no capture")
    func tables() async throws {
        try await TestSchema.withPools(prefix: "erasure") { pools in
            let capture = try await StoredCapture(in: pools[0]).id
            _ = try await pools[0].query("SELECT rial_withdraw(\(capture.uuid))")
            let (left, read) = try await pools[0].withTransaction { connection in
                let left = try await ErasureCheck(connection: connection, capture: capture).left()
                let rows = try await connection.query(
                    "SELECT relname::text AS name FROM pg_stat_xact_user_tables WHERE schemaname = current_schema() AND seq_scan > 0")
                return (left, try Set(rows.map { try $0.get("name", as: String.self) }))
            }
            #expect(left.isEmpty)
            #expect(read.isSuperset(of: ["challenges", "gateway_outbox", "log_pending", "log_shards"]))
            #expect(read.isDisjoint(with: ["log_entries", "log_checkpoints", "log_cosignatures"]))
        }
    }
}
