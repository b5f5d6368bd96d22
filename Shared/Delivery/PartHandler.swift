import CaptureProtocol
public import Models
import Persistence

/// What a service finds out about a capture, for its part of the evidence. ``PartHandler`` does the rest.
public protocol PartWork: Sendable {
    associatedtype Part: PartEvent
    /// What ``compute(_:)`` gives to the repository.
    associatedtype Computed: Sendable = Part.Findings

    /// Whether findings are to be made anew although some are stored; asked of captures that are not complete.
    /// - Parameter isFailed: of the capture.
    func isOutdated(_ stored: Part.Findings, isFailed: Bool) -> Bool

    /// Finds out, outside of any transaction.
    /// - Throws: ``RejectedMessage`` for what no retry can mend; anything else is tried again.
    func compute(_ announcement: CaptureAnnouncement) async throws -> Computed

    /// After the transaction, for metrics.
    func count(_ findings: Part.Findings)
}

extension PartWork {
    public func isOutdated(_ stored: Part.Findings, isFailed: Bool) -> Bool { false }
    public func count(_ findings: Part.Findings) {}
}

/// Answers for each received capture with one service's part: decides, saves, announces. A capture seen again gets the stored result, and
/// one that is given up a stored failure.
public struct PartHandler<Work: PartWork, Parts: PartRepository>: MessageHandler
where Parts.Part == Work.Part, Parts.Computed == Work.Computed {
    let work: Work
    let parts: Parts

    public init(_ work: Work, parts: Parts) {
        self.work = work
        self.parts = parts
    }

    public func handle(_ message: CaptureReceived, _ context: MessageContext) async throws {
        guard let known = try await parts.find(message.captureID) else { throw RejectedMessage(.captureUnknown) }
        var isReplacing = false
        if let stored = known.stored {
            isReplacing = known.status != .complete && work.isOutdated(stored, isFailed: known.status == .failed)
            guard isReplacing else { return try await parts.announceAgain(message.captureID, answering: context) }
        }
        let computed = try await work.compute(known.announcement)
        let kept = try await parts.save(computed, of: known.announcement, replacing: isReplacing, answering: context)
        if let kept { work.count(kept) }
    }

    public func giveUp(_ message: CaptureReceived, reason: FailureReason, on transaction: Parts.Transaction) async throws {
        try await parts.giveUp(message.captureID, reason: reason, on: transaction)
    }
}
