import CaptureProtocol
import Models
import Persistence

/// The records in flight, stored in PostgreSQL, to detect records that crash the process.
///
/// An entry is inserted before a record is handled and deleted with its effect (``Inbox/accept(_:consumer:on:)``) or its dead letter. An
/// entry that exists on redelivery was left by a process that crashed.
struct InHand: Sendable {
    /// What was in hand when this many processes crashed is given up (SPEC §1).
    static let maximumDeaths = 3
    let service: ServiceName

    /// - Returns: how many processes have crashed while handling the record.
    func take(_ event: EventID, consumer: Topic, _ database: PostgresPool) async throws -> Int {
        let rows = try await database.query(
            """
            INSERT INTO \(unescaped: service.inHandTable) AS held (consumer, event_id) VALUES (\(consumer.rawValue), \(event.uuid))
            ON CONFLICT (consumer, event_id) DO UPDATE SET tries = held.tries + 1, noted_at = now() RETURNING tries
            """)
        return max((try rows.first?.get("tries", as: Int.self) ?? 1) - 1, 0)
    }

    /// Records that the process stopped handling in an orderly way, which does not count as a crash.
    func release(_ event: EventID, consumer: Topic, _ database: PostgresPool) async throws {
        _ = try await database.query(
            """
            UPDATE \(unescaped: service.inHandTable) SET tries = tries - 1
            WHERE consumer = \(consumer.rawValue) AND event_id = \(event.uuid)
            """)
    }

    /// Deletes the entry of a dead-lettered record.
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
