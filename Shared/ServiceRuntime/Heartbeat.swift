import Logging
import Models
import Persistence

/// Whether PostgreSQL lets this service write, not merely connect: a standby, a demoted primary or a full disk answers questions, too.
///
/// On a connection of its own, so that a busy pool is not taken for a server that is away.
struct Heartbeat: Sendable {
    let service: ServiceName
    let database: PostgresPool

    init(_ service: ServiceName, url: String, logger: Logger) {
        self.service = service
        database = PostgresPool(
            url: url, size: 1, applicationName: service.rawValue + "-probe", statementTimeout: .seconds(2), acquireTimeout: .seconds(2),
            logger: logger)
    }

    /// - Throws: ``PostgresError`` if it could not be written and committed.
    func beat() async throws {
        _ = try await database.query("UPDATE \(unescaped: service.tablePrefix)_heartbeat SET beaten_at = now()")
    }
}
