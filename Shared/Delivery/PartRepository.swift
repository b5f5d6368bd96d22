public import CaptureProtocol
public import Models

/// A capture's announcement and status, and the service's stored findings; `nil` if there are none.
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

/// Stores a service's findings about captures. Each method stores and announces in one transaction.
public protocol PartRepository<Part, Computed>: Sendable {
    associatedtype Part: PartEvent
    /// The value from which ``save(_:of:replacing:answering:)`` makes findings.
    associatedtype Computed: Sendable = Part.Findings
    /// The transaction that stores the dead letter.
    associatedtype Transaction: Sendable

    /// - Returns: `nil` if there is no such capture.
    /// - Throws: ``WithdrawnCapture`` if it was withdrawn; ``RejectedMessage`` if this version cannot decode the announcement, or if
    ///   it is of another capture than its row.
    func find(_ capture: CaptureID) async throws -> KnownPart<Part>?

    /// Saves the findings unless there are others that they do not replace, and announces the part. Does nothing if this event was
    /// processed before. Of a capture that was withdrawn in the meantime nothing is saved, and its objects are looked for again.
    /// - Parameter isReplacing: whether to replace stored findings, as long as the capture is not complete. A stored failure is always
    ///   replaced.
    /// - Returns: the stored findings: of two concurrent calls the first wins. `nil` if the event was processed before.
    func save(
        _ computed: Computed, of announcement: CaptureAnnouncement, replacing isReplacing: Bool, answering context: MessageContext
    ) async throws -> Part.Findings?

    /// Marks the event of a withdrawn capture as processed. Objects that this or an earlier attempt stored are looked for again.
    func pass(over context: MessageContext, of capture: CaptureID) async throws

    /// Announces the stored findings again, unless this event was processed before.
    func announceAgain(_ capture: CaptureID, answering context: MessageContext) async throws

    /// Stores and announces a failure. Does nothing if there are findings, if there is no such capture, or if it was withdrawn.
    func giveUp(_ capture: CaptureID, reason: FailureReason, on transaction: Transaction) async throws
}
