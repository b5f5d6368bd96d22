public import CaptureProtocol
public import Models
public import Persistence

/// What a service finds out about a capture, for its part of the evidence. ``PartHandler`` does the rest.
public protocol PartWork: Sendable {
    associatedtype Part: PartEvent
    /// What ``compute(_:)`` gives to ``save(_:of:with:on:)``.
    associatedtype Computed: Sendable

    /// Whether findings are to be made anew although some are stored; asked of captures that are not complete.
    /// - Parameter isFailed: of the capture.
    func isOutdated(_ stored: Part.Findings, isFailed: Bool) -> Bool

    /// Finds out, outside of any transaction.
    /// - Throws: ``RejectedMessage`` for what no retry can mend; anything else is tried again.
    func compute(_ announcement: CaptureAnnouncement) async throws -> Computed

    /// Saves the findings, in the transaction that announces them.
    /// - Returns: what is stored now: of two workers the first counts.
    func save(
        _ computed: Computed, of announcement: CaptureAnnouncement, with results: PartResults<Part>, on connection: PostgresConnection
    ) async throws -> Part.Findings

    /// After the transaction, for metrics.
    func count(_ findings: Part.Findings)
}

extension PartWork {
    public func isOutdated(_ stored: Part.Findings, isFailed: Bool) -> Bool { false }
    public func count(_ findings: Part.Findings) {}
}

extension PartWork where Computed == Part.Findings {
    public func save(
        _ computed: Computed, of announcement: CaptureAnnouncement, with results: PartResults<Part>, on connection: PostgresConnection
    ) async throws -> Part.Findings {
        try await results.save(computed, for: announcement.captureID, on: connection)
    }
}

/// Answers for each received capture with one service's part: decides, saves, announces. A capture seen again gets the stored result, and
/// one that is given up a stored failure.
public struct PartHandler<Work: PartWork>: MessageHandler {
    let work: Work
    let publisher: PartPublisher<Work.Part>

    public init(_ work: Work, _ service: ServiceName, database: PostgresPool) {
        self.work = work
        publisher = PartPublisher(service, database: database)
    }

    public func handle(_ message: CaptureReceived, _ context: MessageContext) async throws {
        guard let task = try await publisher.begin(message.captureID, answering: context, isOutdated: work.isOutdated) else { return }
        let computed = try await work.compute(task.announcement)
        let stored = try await publisher.publish(message.captureID, answering: context) { connection in
            try await work.save(computed, of: task.announcement, with: task.results, on: connection)
        }
        if let stored { work.count(stored) }
    }

    public func giveUp(_ message: CaptureReceived, reason: FailureReason, on connection: PostgresConnection) async throws {
        try await publisher.giveUp(message.captureID, reason: reason, on: connection)
    }
}
