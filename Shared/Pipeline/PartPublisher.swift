import Models
import Persistence

/// What the handlers of `capture-received` share: a stored result is published again, a new one is stored and published in one
/// transaction, and giving up is an `error` part.
public struct PartPublisher<Part: PartEvent>: Sendable {
    let service: ServiceName
    let outbox: Outbox
    let inbox: Inbox

    public init(_ service: ServiceName) {
        self.service = service
        outbox = Outbox(service)
        inbox = Inbox(service)
    }

    /// Publishes `findings` unless this very event was answered before; runs `store` first, in the same transaction.
    public func publish(
        _ findings: Part.Findings, for capture: CaptureID, answering context: MessageContext, database: PostgresPool,
        store: @Sendable (PostgresConnection) async throws -> Void = { _ in }
    ) async throws {
        try await database.withTransaction { connection in
            guard try await inbox.accept(context.eventID, consumer: context.topic, on: connection) else { return }
            try await store(connection)
            FailPoint.reached("\(service.rawValue).stored")
            try await outbox.append(Part.done(capture, findings), on: connection)
            FailPoint.reached("\(service.rawValue).announced")
        }
        FailPoint.reached("\(service.rawValue).committed")
    }

    public func giveUp(_ capture: CaptureID, reason: String, on connection: PostgresConnection) async throws {
        try await outbox.append(Part.failed(capture, reason: reason), on: connection)
    }
}
