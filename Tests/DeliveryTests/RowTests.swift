import CaptureProtocol
import Delivery
import Persistence
import TestSupport
import Testing

@Suite(
    "Rows of PostgreSQL", .sharedSchema("rows"), .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
struct RowTests {
    @Test("a digest has 32 bytes: anything else is an error that names the column")
    func digest() async throws {
        let rows = try await #require(TestSchema.shared).query(
            "SELECT sha256('a') AS digest, '\\x00'::bytea AS short, NULL::bytea AS absent")
        let row = try #require(rows.first)
        #expect(try row.digest("digest") == ContentDigest(of: Array("a".utf8)))
        let short = await error(PostgresError.self) { _ = try row.digest("short") }
        #expect(short?.code == .decoding && short?.message == "column short is not a SHA-256")
        let absent = await error(PostgresError.self) { _ = try row.digest("absent") }
        #expect(absent?.code == .decoding)
    }
}
