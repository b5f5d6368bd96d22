public import CaptureProtocol
public import Models
public import Persistence

/// Which events a service has handled; asked in the transaction of the effect, so that a redelivered event has none.
public struct Inbox: Sendable {
    let service: ServiceName

    public init(_ service: ServiceName) { self.service = service }

    /// Notes the event in the transaction that `connection` is in; it is then no longer in hand.
    /// - Returns: false if it was noted before: the effect stands already.
    public func accept(_ event: EventID, consumer: Topic, on connection: PostgresConnection) async throws -> Bool {
        let rows = try await connection.query(
            """
            WITH settled AS (
                DELETE FROM \(unescaped: service.inHandTable) WHERE consumer = \(consumer.rawValue) AND event_id = \(event.uuid))
            INSERT INTO \(unescaped: service.inboxTable) (consumer, event_id) VALUES (\(consumer.rawValue), \(event.uuid))
            ON CONFLICT DO NOTHING RETURNING true AS accepted
            """)
        return !rows.isEmpty
    }

    /// Forgets events older than any topic keeps its records (14 days; topics keep 7).
    public func sweep(_ database: PostgresPool) async throws {
        _ = try await database.query(
            """
            DELETE FROM \(unescaped: service.inboxTable) WHERE received_at < now() - interval '14 days'
            """)
        if service != .gateway { try await InHand(service: service).sweep(database) }
    }
}
