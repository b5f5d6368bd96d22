import Foundation
import Logging
import Metrics
import Models
import Persistence

/// Checks that this service can write to PostgreSQL, since a standby, a demoted primary or a server with a full disk still answers queries.
/// On the way it compares the server's clock with this host's: times of the one are judged by the other.
///
/// It has its own connection, so that a busy pool does not look like a server that is down.
struct Heartbeat: Sendable {
    let service: ServiceName
    let database: PostgresPool
    let now: @Sendable () -> Date

    init(_ service: ServiceName, url: String, logger: Logger, now: @escaping @Sendable () -> Date = { Date() }) {
        self.service = service
        self.now = now
        database = PostgresPool(
            url: url, size: 1, applicationName: service.rawValue + "-probe", statementTimeout: .seconds(2), acquireTimeout: .seconds(2),
            logger: logger)
    }

    /// - Throws: ``PostgresError`` if the write could not be committed.
    func beat() async throws {
        let began = now()
        let rows = try await database.query(
            "UPDATE \(unescaped: service.tablePrefix)_heartbeat SET beaten_at = now() RETURNING clock_timestamp() AS read_at")
        // It was read somewhere between question and answer, which are a few seconds apart at most.
        let middle = began.addingTimeInterval(now().timeIntervalSince(began) / 2)
        guard let read = try rows.first?.get("read_at", as: Date.self) else { return }
        Meter(label: "rial_clock_offset_seconds").set(read.timeIntervalSince(middle))
    }
}
