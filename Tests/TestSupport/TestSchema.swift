import Foundation
import Persistence

/// A schema of its own in the PostgreSQL that `RIAL_TEST_DATABASE_URL` names.
public struct TestSchema: Sendable {
    public static let serverURL = ProcessInfo.processInfo.environment["RIAL_TEST_DATABASE_URL"].flatMap { $0.isEmpty ? nil : $0 }
    public static let isConfigured = serverURL != nil

    /// Asked for without a server.
    public struct NotConfigured: Error {}

    /// Leads to the schema, since it sets the search path.
    public let url: String
    public let name: String

    /// Drops the schema with what is in it after the body, also when that fails.
    /// - Parameter prefix: begins its name; a letter first, no capitals.
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
}
