import Foundation
import Logging
import Persistence
import TestSupport
import Testing

@Suite("Lost responses to COMMIT", .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL is not set"))
struct LostCommitTests {
    /// Provides a pool that connects to PostgreSQL through a proxy, and a separate table.
    private func withProxy(_ body: (PostgresPool, PostgresProxy) async throws -> Void) async throws {
        try await TestSchema.with(prefix: "lost") { schema in
            var address = try #require(URLComponents(string: schema.url))
            let target = try #require(address.port)
            let proxy = try PostgresProxy(to: { target })
            address.port = proxy.port
            let pool = PostgresPool(
                url: try #require(address.string), size: 2, applicationName: schema.name, logger: Logger(label: "tests"))
            var failure: (any Error)?
            do {
                try await pool.withConnection { try await $0.execute(script: "CREATE TABLE notes (text text PRIMARY KEY)") }
                try await body(pool, proxy)
            } catch {
                failure = error
            }
            await pool.shutdown()
            if let failure { throw failure }
        }
    }

    private func write(_ text: String, to pool: PostgresPool) async throws {
        try await pool.withTransaction { connection in
            _ = try await connection.query("INSERT INTO notes (text) VALUES (\(text))")
        }
    }

    private func texts(in pool: PostgresPool) async throws -> [String] {
        try await pool.query("SELECT text FROM notes ORDER BY text").map { try $0.get("text", as: String.self) }
    }

    @Test("are transient errors; the commit is kept and the next transaction succeeds")
    func stands() async throws {
        try await withProxy { pool, proxy in
            proxy.loseCommit(of: "INSERT INTO notes")
            let error = try #require(await #expect(throws: PostgresError.self) { try await write("lost", to: pool) })
            #expect(error.isTransient)
            #expect(proxy.dropped == 1)
            let known = try await texts(in: pool)
            #expect(known == ["lost"])
            try await write("kept", to: pool)
            let both = try await texts(in: pool)
            #expect(both == ["kept", "lost"])
            #expect(proxy.dropped == 1)
        }
    }

    @Test("may be followed by an outage, after which everything committed is there")
    func away() async throws {
        try await withProxy { pool, proxy in
            proxy.loseCommit(of: "INSERT INTO notes", staysAway: true)
            await #expect(throws: PostgresError.self) { try await write("lost", to: pool) }
            let error = try #require(await #expect(throws: PostgresError.self) { try await texts(in: pool) })
            #expect(error.isTransient)
            proxy.comeBack()
            let known = try await texts(in: pool)
            #expect(known == ["lost"])
        }
    }
}
