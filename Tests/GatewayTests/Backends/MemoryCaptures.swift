import CaptureProtocol
import Foundation
import Models
import Persistence
import Synchronization

@testable import Gateway

/// The captures and the intakes in memory. A test decides how a transaction that records one ends.
final class MemoryCaptures: CaptureRepository, IntakeRepository, WithdrawalRepository {
    struct Entry {
        let capture: NewCapture
        let shortID = ShortID.random()
        let uploadedAt: Date
        var status = CaptureStatus.processing
        var parts: [PartRow] = []
        var withdrawnAt: Date?

        func isSame(as other: NewCapture) -> Bool {
            withdrawnAt == nil && capture.announcement.deviceID == other.announcement.deviceID && capture.mediaHash == other.mediaHash
                && capture.depthHash == other.depthHash && capture.assertionHash == other.assertionHash
        }
    }

    struct Intake {
        var isAbandoned = false
        var brings: CaptureID?
    }

    /// What goes wrong when a capture is recorded.
    enum Fault: Error {
        /// Nothing is recorded.
        case rolledBack
        /// It is recorded, and the answer to COMMIT is lost.
        case answerLost
        /// It is recorded or not, and the database cannot be asked.
        case unreachable
    }

    struct State {
        var captures: [CaptureID: Entry] = [:]
        var intakes: [CaptureID: Intake] = [:]
        var openUploads: Set<UUID> = []
        var whenSentAtOnce: @Sendable (DeviceID, ContentDigest) -> Void = { _, _ in }
        var whenMadeOfUpload: @Sendable (UUID, UploadAnswer) -> Void = { _, _ in }
        var announced: [String] = []
        var fault: Fault?
        /// How far the database's clock is ahead of the gateway's, in seconds.
        var ahead = 0.0

        func checkReachable() throws { if fault == .unreachable { throw Fault.unreachable } }
    }

    private let state = Mutex(State())

    var now: State { state.withLock { $0 } }
    func fail(with fault: Fault?) { state.withLock { $0.fault = fault } }
    func set(ahead seconds: Double) { state.withLock { $0.ahead = seconds } }
    func set(_ status: CaptureStatus, of capture: CaptureID) { state.withLock { $0.captures[capture]?.status = status } }
    func abandon(_ upload: CaptureID) { state.withLock { $0.intakes[upload]?.isAbandoned = true } }
    /// - Parameter happens: when a body that was sent in one request is recorded.
    func whenSentAtOnce(_ happens: @escaping @Sendable (DeviceID, ContentDigest) -> Void) {
        state.withLock { $0.whenSentAtOnce = happens }
    }
    /// - Parameter happens: when a new capture is made of an upload.
    func whenMadeOfUpload(_ happens: @escaping @Sendable (UUID, UploadAnswer) -> Void) {
        state.withLock { $0.whenMadeOfUpload = happens }
    }
    func set(upload: UUID, isOpen: Bool) {
        state.withLock { state in
            if isOpen { _ = state.openUploads.insert(upload) } else { _ = state.openUploads.remove(upload) }
        }
    }

    func answer(_ part: EvidencePart, of capture: CaptureID, isGivenUp: Bool) {
        let row = makeRow([
            "part": part.rawValue, "outcome": isGivenUp ? "error" : "done", "result": isGivenUp ? nil : "{}", "depth_width": nil,
            "depth_height": nil,
        ])
        guard let found = PartRow(row) else { return }
        state.withLock { $0.captures[capture]?.parts.append(found) }
    }

    func record(
        _ id: CaptureID, _ submission: any CaptureSubmitting, device: DeviceID, begun: ContinuousClock.Instant, receivedAt: Date?,
        provided condition: RecordingCondition?, sentAtOnce body: ContentDigest?
    ) async throws -> Recorded {
        // Also where the answer to COMMIT is lost.
        defer { if let condition, now.captures[id] != nil { now.whenMadeOfUpload(condition.openUpload, condition.answer(id)) } }
        let recorded = try record(id, submission, device: device, begun: begun, receivedAt: receivedAt, provided: condition)
        if let body { now.whenSentAtOnce(device, body) }
        return recorded
    }

    private func record(
        _ id: CaptureID, _ submission: any CaptureSubmitting, device: DeviceID, begun: ContinuousClock.Instant, receivedAt: Date?,
        provided condition: RecordingCondition?
    ) throws -> Recorded {
        let gatewayTime = Date()
        let databaseTime = gatewayTime.addingTimeInterval(now.ahead)
        let uploadedAt = receivedAt ?? databaseTime
        let capture = submission.capture(id, device: device, receivedAt: uploadedAt)
        return try state.withLock { state in
            if let fault = state.fault, fault != .answerLost { throw fault }
            if let condition, !state.openUploads.contains(condition.openUpload) { throw condition.refusal }
            let isHashOnly = capture.announcement.content.kind.mode == .hashOnly
            if let (known, entry) = state.captures.first(where: { $0.value.isSame(as: capture) }) {
                if isHashOnly, entry.status == .failed { state.announced.append(known.description) }
                return .known(KnownCapture(id: known, status: entry.status))
            }
            if receivedAt == nil { try ReceiptClock.compare(databaseTime, with: gatewayTime) }
            let window = Date(timeIntervalSinceNow: -WithdrawalWindow.seconds(since: begun))
            let hasWithdrawn = state.captures.values.contains { entry in
                entry.capture.announcement.deviceID == device && entry.withdrawnAt.map { $0 > window } ?? false
            }
            if hasWithdrawn { throw CaptureError.withdrawnMeanwhile }
            if !isHashOnly {
                guard let intake = state.intakes[id], !intake.isAbandoned else { throw CaptureError.intakeExpired }
                state.intakes[id] = nil
            }
            state.captures[id] = Entry(capture: capture, uploadedAt: uploadedAt)
            state.announced.append(id.description)
            if let fault = state.fault { throw fault }
            return .new
        }
    }

    func find(_ id: CaptureID) async throws -> CaptureRow? { try now.captures[id].map { try Self.row(id, $0) } }

    func find(shortID: String) async throws -> CaptureRow? {
        try now.captures.first { $0.value.shortID == shortID }.map { try Self.row($0.key, $0.value) }
    }

    func parts(of id: CaptureID) async throws -> [PartRow] { now.captures[id]?.parts ?? [] }

    private static func row(_ id: CaptureID, _ entry: Entry) throws -> CaptureRow {
        if let time = entry.withdrawnAt { throw WithdrawnCapture(withdrawnAt: time) }
        let (capture, announcement) = (entry.capture, entry.capture.announcement)
        return CaptureRow(
            id: id, shortID: entry.shortID, deviceID: announcement.deviceID, kind: announcement.content.kind, status: entry.status,
            failure: nil, confidence: nil, mediaHash: capture.mediaHash, capturedAt: capture.capturedAt, uploadedAt: entry.uploadedAt,
            completedAt: nil, flags: capture.flags, evidence: nil, location: capture.location, detection: capture.detection, mediaNames: [],
            depthFramesSize: nil, isRevoked: false)
    }

    func withdraw(_ capture: CaptureID, by device: DeviceID) async throws -> WithdrawalOutcome {
        state.withLock { state in
            guard let entry = state.captures[capture] else { return .unknown }
            guard entry.capture.announcement.deviceID == device else { return .foreign }
            guard entry.withdrawnAt == nil else { return .withdrawn }
            state.captures[capture]?.withdrawnAt = Date()
            state.captures[capture]?.status = .withdrawn
            state.captures[capture]?.parts = []
            // Nothing that was not announced yet is.
            state.announced.removeAll { $0 == capture.description }
            state.announced.append(capture.description)
            return .withdrawn
        }
    }

    func open(_ id: CaptureID, device: DeviceID) async throws {
        try state.withLock { state in
            try state.checkReachable()
            guard state.intakes[id] == nil else { throw PostgresError(code: .query, message: "intakes_pkey", sqlState: "23505") }
            state.intakes[id] = Intake()
        }
    }

    func leave(_ id: CaptureID, to known: CaptureID) async throws -> Bool {
        try state.withLock { state in
            try state.checkReachable()
            guard let intake = state.intakes[id], !intake.isAbandoned else { return false }
            state.intakes[id]?.brings = known
            return true
        }
    }

    func forget(_ id: CaptureID) async throws {
        try state.withLock { state in
            try state.checkReachable()
            state.intakes[id] = nil
        }
    }

    func outcome(of id: CaptureID) async -> RecordingOutcome {
        state.withLock { state in
            guard state.fault != .unreachable else { return .unknown }
            if state.captures[id] != nil { return .recorded }
            guard state.intakes[id] != nil else { return .unknown }
            state.intakes[id]?.isAbandoned = true
            return .abandoned
        }
    }
}
