import Models
import Persistence

/// The services' database roles. They belong to the cluster, so a dump of the database does not contain them.
enum ServiceRoles {
    static let all = ServiceName.allCases.map { "rial_" + $0.tablePrefix }

    /// - Returns: the roles that were created. They have no password, and so cannot log in yet.
    static func createMissing(url: String) async throws -> [String] {
        try await withConnection(url) { connection in
            var created: [String] = []
            for role in all where try await connection.createRole(role) { created.append(role) }
            return created
        }
    }

    static func withConnection<T: Sendable>(
        _ url: String, _ body: @Sendable (PostgresConnection) async throws -> T
    ) async throws -> T {
        try await PostgresConnection.connect(url: url, applicationName: "rial-migrate").closing(after: body)
    }
}
