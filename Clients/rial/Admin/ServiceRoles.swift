import Models
import Persistence

/// The services' database roles. They belong to the cluster, so a dump of the database does not bring them.
enum ServiceRoles {
    static let all = ServiceName.allCases.map { "rial_" + $0.tablePrefix }

    /// - Returns: those that were missing, now there, without a password and so unable to log in.
    static func createMissing(url: String) async throws -> [String] {
        try await withConnection(url) { connection in
            var made: [String] = []
            for role in all where try await connection.createRole(role) { made.append(role) }
            return made
        }
    }

    static func withConnection<T: Sendable>(
        _ url: String, _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        let connection = try await PostgresConnection.connect(url: url, applicationName: "rial-migrate")
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }
}
