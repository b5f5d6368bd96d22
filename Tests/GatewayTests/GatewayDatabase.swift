import Logging
import Persistence
import TestSupport
import Testing

/// A schema of its own with the product's tables, in the PostgreSQL that `RIAL_TEST_DATABASE_URL` names; dropped after the test.
enum GatewayDatabase {
    static let isConfigured = TestSchema.isConfigured
    static let hint: Comment = "RIAL_TEST_DATABASE_URL names no PostgreSQL"

    static func with(pools count: Int = 1, _ body: @Sendable ([PostgresPool]) async throws -> Void) async throws {
        let logger = Logger(label: "tests")
        try await TestSchema.with(prefix: "gateway") { schema in
            try await Migrator.bundled().migrate(url: schema.url, logger: logger)
            let pools = (0..<count).map { _ in
                PostgresPool(url: schema.url, size: 4, applicationName: schema.name, logger: logger)
            }
            var failure: (any Error)?
            do { try await body(pools) } catch { failure = error }
            for pool in pools { await pool.shutdown() }
            if let failure { throw failure }
        }
    }

    static func with(_ body: @Sendable (PostgresPool) async throws -> Void) async throws {
        try await with(pools: 1) { try await body($0[0]) }
    }
}
