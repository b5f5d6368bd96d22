import CaptureProtocol
import Foundation
import Models
import Persistence

/// The records and tasks that a service has in hand, stored in PostgreSQL, to detect those that crash the process.
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

    /// Records that the process stopped in an orderly way, which does not count as a crash.
    /// - Parameters:
    ///   - id: of an event, or of a task's work.
    ///   - consumer: the event's topic, or the task's name.
    func release(_ id: UUID, consumer: String, _ database: PostgresPool) async throws {
        _ = try await database.query(
            "UPDATE \(unescaped: service.inHandTable) SET tries = tries - 1 WHERE consumer = \(consumer) AND event_id = \(id)")
    }

    /// Deletes the entry of a dead-lettered record, or of a task's work that is over. The parameters are those of
    /// ``release(_:consumer:_:)``.
    nonisolated(nonsending) func settle(_ id: UUID, consumer: String, on connection: PostgresConnection) async throws {
        try await connection.query("DELETE FROM \(unescaped: service.inHandTable) WHERE consumer = \(consumer) AND event_id = \(id)")
    }

    /// In one statement, without an index: all that is left are a few entries of processes that crashed.
    func sweep(_ database: PostgresPool) async throws {
        _ = try await database.query("DELETE FROM \(unescaped: service.inHandTable) WHERE noted_at < now() - interval '14 days'")
    }
}
