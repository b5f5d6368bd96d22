import Foundation
import Logging
import Persistence
import Testing

/// A schema of its own with the product's tables, in the PostgreSQL that `RIAL_TEST_DATABASE_URL` names; dropped after the test.
struct GatewayDatabase: Sendable {
    static let serverURL = ProcessInfo.processInfo.environment["RIAL_TEST_DATABASE_URL"].flatMap { $0.isEmpty ? nil : $0 }
    static let isConfigured = serverURL != nil
    static let hint: Comment = "RIAL_TEST_DATABASE_URL names no PostgreSQL"

    static func with(pools count: Int = 1, _ body: @Sendable ([PostgresPool]) async throws -> Void) async throws {
        let server = try #require(serverURL)
        let schema = "gateway_" + UUID().uuidString.lowercased().replacing("-", with: "")
        let logger = Logger(label: "tests")
        let admin = try await PostgresConnection.connect(url: server, applicationName: schema)
        try await admin.execute(script: "CREATE SCHEMA \(schema)")
        let url =
            server.contains("://")
            ? server + (server.contains("?") ? "&" : "?") + "options=-csearch_path%3D\(schema)"
            : server + " options='-csearch_path=\(schema)'"
        let pools = (0..<count).map { _ in PostgresPool(url: url, size: 4, applicationName: schema, logger: logger) }
        var failure: (any Error)?
        do {
            try await Migrator.bundled().migrate(url: url, logger: logger)
            try await body(pools)
        } catch {
            failure = error
        }
        for pool in pools { await pool.shutdown() }
        try await admin.execute(script: "DROP SCHEMA \(schema) CASCADE")
        await admin.close()
        if let failure { throw failure }
    }

    static func with(_ body: @Sendable (PostgresPool) async throws -> Void) async throws {
        try await with(pools: 1) { try await body($0[0]) }
    }
}
