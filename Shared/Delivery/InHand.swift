import CaptureProtocol
import Models
import Persistence

/// Which records a service is handling, kept outside of its processes: a record over which a process dies is known by it.
///
/// An entry is made before a record is handled and goes with the effect (``Inbox/accept(_:consumer:on:)``) or with the dead letter. What
/// is found when a record comes again was left by a process that died.
struct InHand: Sendable {
    let service: ServiceName

    /// - Returns: how many processes have died over the record.
    func take(_ event: EventID, consumer: Topic, _ database: PostgresPool) async throws -> Int {
        let rows = try await database.query(
            """
            INSERT INTO \(unescaped: service.inHandTable) AS held (consumer, event_id) VALUES (\(consumer.rawValue), \(event.uuid))
            ON CONFLICT (consumer, event_id) DO UPDATE SET tries = held.tries + 1, noted_at = now() RETURNING tries
            """)
        return max((try rows.first?.get("tries", as: Int.self) ?? 1) - 1, 0)
    }

    /// The record is laid down by an orderly end of the process, which is no death.
    func release(_ event: EventID, consumer: Topic, _ database: PostgresPool) async throws {
        _ = try await database.query(
            """
            UPDATE \(unescaped: service.inHandTable) SET tries = tries - 1
            WHERE consumer = \(consumer.rawValue) AND event_id = \(event.uuid)
            """)
    }

    /// The record was given up.
    func settle(_ event: EventID, consumer: Topic, on connection: PostgresConnection) async throws {
        try await connection.query(
            """
            DELETE FROM \(unescaped: service.inHandTable) WHERE consumer = \(consumer.rawValue) AND event_id = \(event.uuid)
            """)
    }

    func sweep(_ database: PostgresPool) async throws {
        _ = try await database.query("DELETE FROM \(unescaped: service.inHandTable) WHERE noted_at < now() - interval '14 days'")
    }
}
