public import CaptureProtocol
public import Models
import Observability
public import Persistence

/// Stores findings in the service's own table and announces them through its outbox.
public struct PostgresPartRepository<Part: PartEvent, Computed: Sendable>: PartRepository {
    /// Saves the computed value, in the transaction that announces it.
    /// - Returns: the stored findings.
    public typealias Saving =
        nonisolated(nonsending) @Sendable (
            _ computed: Computed, _ announcement: CaptureAnnouncement, _ results: PartResults<Part>, _ connection: PostgresConnection
        ) async throws -> Part.Findings

    private let service: ServiceName
    private let database: PostgresPool
    private let outbox: Outbox
    private let inbox: Inbox
    private let saving: Saving

    public init(_ service: ServiceName, database: PostgresPool, saving: @escaping Saving) {
        self.service = service
        self.database = database
        self.saving = saving
        outbox = Outbox(service)
        inbox = Inbox(service)
    }

    public func find(_ capture: CaptureID) async throws -> KnownPart<Part>? {
        try await database.withConnection { try await PartResults<Part>().find(capture, on: $0) }
    }

    public func save(
        _ computed: Computed, of announcement: CaptureAnnouncement, replacing isReplacing: Bool, answering context: MessageContext
    ) async throws -> Part.Findings? {
        try await announce(announcement.captureID, answering: context) { connection in
            try await saving(computed, announcement, PartResults(replacesFindings: isReplacing), connection)
        }
    }

    public func pass(over context: MessageContext, of capture: CaptureID) async throws {
        try await database.withTransaction { connection in
            _ = try await inbox.accept(context.eventID, consumer: context.topic, on: connection)
            try await connection.objectsCameLate(of: capture)
        }
    }

    public func announceAgain(_ capture: CaptureID, answering context: MessageContext) async throws {
        _ = try await announce(capture, answering: context) { _ in }
    }

    public func giveUp(_ capture: CaptureID, reason: FailureReason, on connection: PostgresConnection) async throws {
        guard try await PartResults<Part>().fail(capture, reason: reason, on: connection) else { return }
        try await outbox.append(Part.failed(capture, reason: reason), on: connection)
    }

    /// Announces the part unless this event was processed before; runs `store` first, in the same transaction.
    /// - Returns: the result of `store`; `nil` if the event was processed before.
    private func announce<Stored: Sendable>(
        _ capture: CaptureID, answering context: MessageContext, store: PostgresConnection.Body<Stored>
    ) async throws -> Stored? {
        let stored = try await database.withTransaction { connection -> Stored? in
            guard try await inbox.accept(context.eventID, consumer: context.topic, on: connection) else {
                // No row is written, whose trigger would tell of what was stored meanwhile (rial_guard_withdrawn).
                try await connection.objectsCameLate(of: capture)
                return nil
            }
            let stored = try await store(connection)
            FailPoint.reached("\(service.rawValue).stored")
            try await outbox.append(Part.done(capture), on: connection)
            FailPoint.reached("\(service.rawValue).announced")
            return stored
        }
        FailPoint.reached("\(service.rawValue).committed")
        return stored
    }
}

extension PostgresPartRepository where Computed == Part.Findings {
    /// For a service that stores only its findings.
    public init(_ service: ServiceName, database: PostgresPool) {
        self.init(service, database: database) { findings, announcement, results, connection in
            try await results.save(findings, for: announcement.captureID, on: connection)
        }
    }
}
