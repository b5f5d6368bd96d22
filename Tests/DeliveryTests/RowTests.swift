import CaptureProtocol
import Delivery
import Models
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

    @Test("an object is there if it has a key, and then all of it")
    func storedMedia() async throws {
        let media = StoredMedia(key: "a", sha256: ContentDigest(of: [1]), sizeBytes: 7, contentType: "image/jpeg")
        func row(_ key: String?, _ digest: [UInt8]?) async throws -> Row {
            let rows = try await #require(TestSchema.shared).query(
                "SELECT \(key) AS object_key, \(digest) AS sha256, 7 AS size_bytes, 'image/jpeg' AS content_type")
            return try #require(rows.first)
        }
        #expect(try await row("a", media.sha256.bytes).storedMedia() == media)
        #expect(try await row(nil, nil).storedMedia() == nil)
        let failure = await error(PostgresError.self) { _ = try await row("a", [1]).storedMedia() }
        #expect(failure?.code == .decoding && failure?.message == "column sha256 is not a SHA-256")
    }
}
