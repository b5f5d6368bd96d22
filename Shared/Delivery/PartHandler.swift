public import CaptureProtocol
public import Models
import Persistence

/// A service's work on a capture for its part of the evidence. ``PartHandler`` does the rest.
public protocol PartWork: Sendable {
    associatedtype Part: PartEvent
    /// The result of ``compute(_:)``, which the repository saves.
    associatedtype Computed: Sendable = Part.Findings

    /// Whether to compute again although findings are stored; called only for captures that are not complete.
    /// - Parameter isFailed: whether the capture has failed.
    func isOutdated(_ stored: Part.Findings, isFailed: Bool) -> Bool

    /// Computes the findings, outside of any transaction.
    /// - Throws: ``RejectedMessage`` for permanent failures; other errors are retried.
    func compute(_ announcement: CaptureAnnouncement) async throws -> Computed

    /// Counts saved findings in metrics, after the transaction.
    func count(_ findings: Part.Findings)
}

extension PartWork {
    public func isOutdated(_ stored: Part.Findings, isFailed: Bool) -> Bool { false }
    public func count(_ findings: Part.Findings) {}
}

/// Handles received captures for one part of the evidence: computes, saves and announces the findings. On redelivery the stored findings
/// are announced again. A dead-lettered capture gets a stored failure. For a withdrawn capture there is nothing to do.
public struct PartHandler<Work: PartWork, Parts: PartRepository, Message: CaptureArrival>: MessageHandler
where Parts.Part == Work.Part, Parts.Computed == Work.Computed {
    let work: Work
    let parts: Parts

    /// - Parameter message: the event that announces the captures it handles.
    public init(_ work: Work, parts: Parts, for message: Message.Type) {
        self.work = work
        self.parts = parts
    }

    public func handle(_ message: Message, _ context: MessageContext) async throws {
        do {
            do {
                try await answer(message, context)
            } catch let rejection as RejectedMessage {
                // What is missing may have been erased in the meantime.
                _ = try await parts.find(message.captureID)
                throw rejection
            }
        } catch is WithdrawnCapture {
            try await parts.pass(over: context, of: message.captureID)
        }
    }

    private func answer(_ message: Message, _ context: MessageContext) async throws {
        guard let known = try await parts.find(message.captureID) else { throw RejectedMessage(.captureUnknown) }
        // Findings are saved for the announced capture, which must not be another than the one whose row announces it.
        guard known.announcement.captureID == message.captureID else {
            throw RejectedMessage(.captureUnreadable, detail: "it announces another capture")
        }
        var isReplacing = false
        if let stored = known.stored {
            isReplacing = known.status != .complete && work.isOutdated(stored, isFailed: known.status == .failed)
            guard isReplacing else { return try await parts.announceAgain(message.captureID, answering: context) }
        }
        let computed = try await work.compute(known.announcement)
        let kept = try await parts.save(computed, of: known.announcement, replacing: isReplacing, answering: context)
        if let kept { work.count(kept) }
    }

    public func giveUp(_ message: Message, reason: FailureReason, on transaction: Parts.Transaction) async throws {
        try await parts.giveUp(message.captureID, reason: reason, on: transaction)
    }
}

extension PartHandler where Message == CaptureReceived {
    public init(_ work: Work, parts: Parts) { self.init(work, parts: parts, for: CaptureReceived.self) }
}
