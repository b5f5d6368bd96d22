public import CaptureProtocol
public import Delivery
import Foundation
public import Models
import Synchronization

/// A service's findings about captures, in memory.
public final class MemoryPartRepository<Part: PartEvent, Computed: Sendable>: PartRepository {
    private struct State {
        var announcements: [CaptureID: CaptureAnnouncement] = [:]
        var findings: [CaptureID: Part.Findings] = [:]
        var failures: [CaptureID: FailureReason] = [:]
        var statuses: [CaptureID: CaptureStatus] = [:]
        var answered: Set<EventID> = []
        var announced: [Part] = []
    }

    private let state = Mutex(State())
    private let saving: @Sendable (Computed, CaptureAnnouncement) throws -> Part.Findings

    /// - Parameter saving: converts the computed value to the stored findings, and performs other writes of the same transaction. If it
    ///   throws, nothing is written, and the event is not processed.
    public init(
        _ announcements: [CaptureAnnouncement] = [], saving: @escaping @Sendable (Computed, CaptureAnnouncement) throws -> Part.Findings
    ) {
        self.saving = saving
        state.withLock { state in for announcement in announcements { state.announcements[announcement.captureID] = announcement } }
    }

    /// Adds a capture, as the gateway does.
    public func add(_ announcement: CaptureAnnouncement) {
        state.withLock { $0.announcements[announcement.captureID] = announcement }
    }

    /// Adds a row whose announcement may be of another capture.
    public func add(_ announcement: CaptureAnnouncement, in row: CaptureID) { state.withLock { $0.announcements[row] = announcement } }

    /// Sets the status, as the assembler does; until then a capture is processing.
    public func set(_ status: CaptureStatus, of capture: CaptureID) { state.withLock { $0.statuses[capture] = status } }

    public var announced: [Part] { state.withLock { $0.announced } }
    public func findings(_ capture: CaptureID) -> Part.Findings? { state.withLock { $0.findings[capture] } }
    public func failure(_ capture: CaptureID) -> FailureReason? { state.withLock { $0.failures[capture] } }

    /// Removes a capture's findings.
    public func forget(_ capture: CaptureID) { state.withLock { $0.findings[capture] = nil } }

    public func pass(over context: MessageContext, of capture: CaptureID) async throws {
        state.withLock { _ = $0.answered.insert(context.eventID) }
    }

    public func hasAnswered(_ event: EventID) -> Bool { state.withLock { $0.answered.contains(event) } }

    public func find(_ capture: CaptureID) async throws -> KnownPart<Part>? {
        try state.withLock { state in
            guard state.statuses[capture] != .withdrawn else {
                throw WithdrawnCapture(withdrawnAt: Date(timeIntervalSince1970: 1_790_000_000))
            }
            return state.announcements[capture].map {
                KnownPart(announcement: $0, status: state.statuses[capture] ?? .processing, stored: state.findings[capture])
            }
        }
    }

    public func save(
        _ computed: Computed, of announcement: CaptureAnnouncement, replacing isReplacing: Bool, answering context: MessageContext
    ) async throws -> Part.Findings? {
        try state.withLock { state in
            guard !state.answered.contains(context.eventID) else { return nil }
            let capture = announcement.captureID
            let findings = try saving(computed, announcement)
            state.answered.insert(context.eventID)
            guard state.statuses[capture] != .withdrawn else { return findings }
            let isReplaced = isReplacing && state.statuses[capture] != .complete
            let kept = isReplaced ? findings : state.findings[capture] ?? findings
            state.findings[capture] = kept
            state.failures[capture] = nil
            state.announced.append(.done(capture))
            return kept
        }
    }

    public func announceAgain(_ capture: CaptureID, answering context: MessageContext) async throws {
        state.withLock { state in
            if state.answered.insert(context.eventID).inserted { state.announced.append(.done(capture)) }
        }
    }

    public func giveUp(_ capture: CaptureID, reason: FailureReason, on transaction: MemoryTransaction) async throws {
        transaction.write { [self] in
            state.withLock { state in
                guard state.announcements[capture] != nil, state.findings[capture] == nil else { return }
                state.failures[capture] = reason
                state.announced.append(.failed(capture, reason: reason))
            }
        }
    }
}

extension MemoryPartRepository where Computed == Part.Findings {
    /// For a service whose stored findings are the computed value.
    public convenience init(_ announcements: [CaptureAnnouncement] = []) { self.init(announcements) { findings, _ in findings } }
}
