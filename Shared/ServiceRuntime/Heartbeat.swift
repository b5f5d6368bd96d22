import Logging
import Models
import Persistence

/// Checks that this service can write to PostgreSQL, since a standby, a demoted primary or a server with a full disk still answers queries.
///
/// It has its own connection, so that a busy pool does not look like a server that is down.
struct Heartbeat: Sendable {
    let service: ServiceName
    let database: PostgresPool

    init(_ service: ServiceName, url: String, logger: Logger) {
        self.service = service
        database = PostgresPool(
            url: url, size: 1, applicationName: service.rawValue + "-probe", statementTimeout: .seconds(2), acquireTimeout: .seconds(2),
            logger: logger)
    }

    /// - Throws: ``PostgresError`` if the write could not be committed.
    func beat() async throws {
        _ = try await database.query("UPDATE \(unescaped: service.tablePrefix)_heartbeat SET beaten_at = now()")
    }
}
