public import CaptureProtocol
public import Models
public import Persistence

/// The events that a service has processed. Checked in the transaction of the effect, so that a redelivery has none.
public struct Inbox: Sendable {
    let service: ServiceName

    public init(_ service: ServiceName) { self.service = service }

    /// Records the event in the current transaction of `connection`; its record is then no longer in hand.
    /// - Returns: false if the event was processed before.
    /// - Throws: `PostgresError`.
    public nonisolated(nonsending) func accept(_ event: EventID, consumer: Topic, on connection: PostgresConnection) async throws -> Bool {
        let rows = try await connection.query(
            """
            WITH settled AS (
                DELETE FROM \(unescaped: service.inHandTable) WHERE consumer = \(consumer.rawValue) AND event_id = \(event.uuid))
            INSERT INTO \(unescaped: service.inboxTable) (consumer, event_id) VALUES (\(consumer.rawValue), \(event.uuid))
            ON CONFLICT DO NOTHING RETURNING true AS accepted
            """)
        return !rows.isEmpty
    }

    /// Deletes events after 14 days, longer than any topic's retention (7 days).
    /// - Throws: `PostgresError` or `CancellationError`.
    public func sweep(_ database: PostgresPool) async throws {
        try await database.deleteRows(of: service.inboxTable, by: "received_at", olderThan: "interval '14 days'")
        if service != .gateway { try await InHand(service: service).sweep(database) }
    }
}
