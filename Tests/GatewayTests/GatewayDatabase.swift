import Persistence
import TestSupport
import Testing

/// A separate schema with the product's tables, in the PostgreSQL server of `RIAL_TEST_DATABASE_URL`; dropped after the test.
enum GatewayDatabase {
    static let isConfigured = TestSchema.isConfigured
    static let hint: Comment = "RIAL_TEST_DATABASE_URL names no PostgreSQL"

    static func with(pools count: Int = 1, _ body: @Sendable ([PostgresPool]) async throws -> Void) async throws {
        try await TestSchema.withPools(prefix: "gateway", count: count, body)
    }

    static func with(_ body: @Sendable (PostgresPool) async throws -> Void) async throws {
        try await with(pools: 1) { try await body($0[0]) }
    }
}
