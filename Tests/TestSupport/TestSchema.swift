import Foundation
import Logging
public import Persistence

/// A schema for one test, on the PostgreSQL server of `RIAL_TEST_DATABASE_URL`.
public struct TestSchema: Sendable {
    public static let serverURL = ProcessInfo.processInfo.environment["RIAL_TEST_DATABASE_URL"].flatMap { $0.isEmpty ? nil : $0 }
    public static let isConfigured = serverURL != nil

    /// `RIAL_TEST_DATABASE_URL` is not set.
    public struct NotConfigured: Error {}

    /// Connects to the schema through the search path.
    public let url: String
    public let name: String

    /// Creates a schema for the body and drops it afterwards, even if the body fails.
    /// - Parameter prefix: the start of the schema's name; begins with a letter, without capitals.
    public static func with(prefix: String, _ body: (TestSchema) async throws -> Void) async throws {
        guard let server = serverURL else { throw NotConfigured() }
        let name = prefix + "_" + UUID().uuidString.lowercased().replacing("-", with: "")
        let admin = try await PostgresConnection.connect(url: server, applicationName: "tests")
        try await admin.execute(script: "CREATE SCHEMA \(name)")
        let url =
            server.contains("://")
            ? server + (server.contains("?") ? "&" : "?") + "options=-csearch_path%3D\(name)"
            : server + " options='-csearch_path=\(name)'"
        var failure: (any Error)?
        do { try await body(TestSchema(url: url, name: name)) } catch { failure = error }
        try await admin.execute(script: "DROP SCHEMA \(name) CASCADE")
        await admin.close()
        if let failure { throw failure }
    }

    /// Like ``with(prefix:_:)``, with the product's tables and `count` connection pools.
    public static func withPools(
        prefix: String, count: Int = 1, _ body: @Sendable ([PostgresPool]) async throws -> Void
    ) async throws {
        let logger = Logger(label: "tests")
        try await with(prefix: prefix) { schema in
            try await Migrator.bundled().migrate(url: schema.url, logger: logger)
            let pools = (0..<count).map { _ in PostgresPool(url: schema.url, size: 4, applicationName: schema.name, logger: logger) }
            var failure: (any Error)?
            do { try await body(pools) } catch { failure = error }
            for pool in pools { await pool.shutdown() }
            if let failure { throw failure }
        }
    }
}
