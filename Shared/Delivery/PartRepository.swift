public import CaptureProtocol
public import Models

/// What was announced of a capture, how it stands, and what a service has found out about it before.
public struct KnownPart<Part: PartEvent>: Sendable {
    public let announcement: CaptureAnnouncement
    public let status: CaptureStatus
    public let stored: Part.Findings?

    public init(announcement: CaptureAnnouncement, status: CaptureStatus, stored: Part.Findings?) {
        self.announcement = announcement
        self.status = status
        self.stored = stored
    }
}

/// Where a service keeps its answers for captures. What it keeps and what it announces of that go together, in one transaction a method.
public protocol PartRepository<Part, Computed>: Sendable {
    associatedtype Part: PartEvent
    /// What ``save(_:of:answering:)`` makes findings of.
    associatedtype Computed: Sendable = Part.Findings
    /// In which dead letters are stored.
    associatedtype Transaction: Sendable

    /// - Returns: `nil` if there is no such capture.
    /// - Throws: ``RejectedMessage`` if this version cannot read what was announced of it.
    func find(_ capture: CaptureID) async throws -> KnownPart<Part>?

    /// Keeps the findings unless there are some that they do not replace, and announces the part; nothing of it if this very event was
    /// answered before.
    /// - Parameter isReplacing: whether they take the place of others, until the capture is complete. They always replace a failure.
    /// - Returns: what is kept now: of two workers the first counts. `nil` if the event was answered before.
    func save(
        _ computed: Computed, of announcement: CaptureAnnouncement, replacing isReplacing: Bool, answering context: MessageContext
    ) async throws -> Part.Findings?

    /// Announces what is kept once more, unless this very event was answered before.
    func announceAgain(_ capture: CaptureID, answering context: MessageContext) async throws

    /// Notes that the capture was given up, and says so; nothing if there are findings, or no such capture.
    func giveUp(_ capture: CaptureID, reason: FailureReason, on transaction: Transaction) async throws
}
