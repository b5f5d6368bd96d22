import Foundation
import Logging
import Persistence
import TestSupport
import Testing

/// A separate schema on the PostgreSQL server of `RIAL_TEST_DATABASE_URL`, dropped with its content after the test.
struct TestDatabase: Sendable {
    static let isConfigured = TestSchema.isConfigured
    static let serverURL = TestSchema.serverURL
    static let hint: Comment = "RIAL_TEST_DATABASE_URL names no PostgreSQL"

    /// Connects to the schema through the search path.
    let url: String
    let schema: String

    static func with(_ body: (TestDatabase) async throws -> Void) async throws {
        try await TestSchema.with(prefix: "test") { try await body(TestDatabase(url: $0.url, schema: $0.name)) }
    }

    func connect(statementTimeout: Duration = .seconds(15)) async throws -> PostgresConnection {
        try await .connect(url: url, applicationName: schema, statementTimeout: statementTimeout)
    }

    func withPool(
        size: Int = 4, acquireTimeout: Duration = .seconds(10), _ body: (PostgresPool) async throws -> Void
    ) async throws {
        let pool = PostgresPool(
            url: url, size: size, applicationName: schema, acquireTimeout: acquireTimeout, logger: Logger(label: "tests"))
        var failure: (any Error)?
        do { try await body(pool) } catch { failure = error }
        await pool.shutdown()
        if let failure { throw failure }
    }

    /// The number of this test's open sessions.
    func sessions() async throws -> Int {
        let admin = try await PostgresConnection.connect(url: try #require(Self.serverURL), applicationName: "tests")
        let count = try await admin.query("SELECT FROM pg_stat_activity WHERE application_name = \(schema)").count
        await admin.close()
        return count
    }

    /// Terminates all sessions of this test, like a restart of the server, and waits until they have ended.
    func endSessions() async throws {
        let admin = try await PostgresConnection.connect(url: try #require(Self.serverURL), applicationName: "tests")
        try await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = \(schema)")
        try await eventually("sessions ended") {
            try await admin.query("SELECT FROM pg_stat_activity WHERE application_name = \(schema)").isEmpty
        }
        await admin.close()
    }
}

extension PostgresPool {
    func ping() async throws { _ = try await query("SELECT 1") }
}

func postgresError(_ body: () async throws -> Void) async -> PostgresError? { await error(PostgresError.self, of: body) }
