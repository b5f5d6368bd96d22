import CaptureProtocol
import Models
import Observability
import Persistence

/// What the handlers of `capture-received` share: the announcement is read from the capture's row, a stored result is announced again, a
/// new one is stored and announced in one transaction, and giving up is a stored failure with an `error` part.
struct PartPublisher<Part: PartEvent>: Sendable {
    let service: ServiceName
    let database: PostgresPool
    let outbox: Outbox
    let inbox: Inbox

    /// What there is to do about a capture, and where its findings go.
    typealias Task = (announcement: CaptureAnnouncement, results: PartResults<Part>)

    init(_ service: ServiceName, database: PostgresPool) {
        self.service = service
        self.database = database
        outbox = Outbox(service)
        inbox = Inbox(service)
    }

    /// What there is to do about a capture.
    /// - Parameter isOutdated: whether stored findings of a capture that is not complete, and perhaps failed, are to be made anew.
    /// - Returns: `nil` if it was done before; that is then announced again.
    /// - Throws: ``RejectedMessage`` if there is no such capture.
    func begin(
        _ capture: CaptureID, answering context: MessageContext,
        isOutdated: (_ stored: Part.Findings, _ isFailed: Bool) -> Bool = { _, _ in false }
    ) async throws -> Task? {
        guard let known = try await database.withConnection({ try await PartResults<Part>().find(capture, on: $0) }) else {
            throw RejectedMessage(.captureUnknown)
        }
        guard let stored = known.stored else { return (known.announcement, PartResults()) }
        if known.status != .complete, isOutdated(stored, known.status == .failed) {
            return (known.announcement, PartResults(replacesFindings: true))
        }
        _ = try await publish(capture, answering: context) { _ in }
        return nil
    }

    /// Announces the part unless this very event was answered before; runs `store` first, in the same transaction.
    /// - Returns: what `store` returned; `nil` if the event was answered before.
    func publish<Stored: Sendable>(
        _ capture: CaptureID, answering context: MessageContext, store: @Sendable (PostgresConnection) async throws -> Stored
    ) async throws -> Stored? {
        let stored = try await database.withTransaction { connection -> Stored? in
            guard try await inbox.accept(context.eventID, consumer: context.topic, on: connection) else { return nil }
            let stored = try await store(connection)
            FailPoint.reached("\(service.rawValue).stored")
            try await outbox.append(Part.done(capture), on: connection)
            FailPoint.reached("\(service.rawValue).announced")
            return stored
        }
        FailPoint.reached("\(service.rawValue).committed")
        return stored
    }

    /// Stores that the capture was given up, and says so; nothing if there is a result, or no such capture.
    func giveUp(_ capture: CaptureID, reason: FailureReason, on connection: PostgresConnection) async throws {
        guard try await PartResults<Part>().fail(capture, reason: reason, on: connection) else { return }
        try await outbox.append(Part.failed(capture, reason: reason), on: connection)
    }
}
