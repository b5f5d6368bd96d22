import CaptureProtocol
import Foundation
import Models

/// The result of recording a capture.
enum Recorded: Sendable {
    case new
    /// The device has already sent a capture with the same content and assertion.
    case known(KnownCapture)
}

/// The existing capture of a repeated upload.
struct KnownCapture: Sendable {
    let id: CaptureID
    let status: CaptureStatus
}

/// An upload that must be open when its capture is recorded; until then nobody ends it. A new capture closes it in the same transaction.
struct RecordingCondition: Sendable {
    /// Its id in `uploads`.
    let openUpload: UUID
    /// Thrown if it is not open; nothing is recorded then.
    let refusal: any RecordingRefusal
    /// Its answer, if this is the new capture that is made of it.
    let answer: @Sendable (CaptureID) -> UploadAnswer
}

/// The captures.
protocol CaptureRepository: Sendable {
    /// Inserts and announces the capture and takes over its intake in one transaction, or finds the existing capture of the same upload.
    /// One without media has no intake; if it failed, it is announced again.
    ///
    /// After an error the capture may still have been recorded, unless it is a ``RecordingRefusal``: ask ``IntakeRepository/outcome(of:)``.
    /// - Parameters:
    ///   - begun: when the request began. If its device has withdrawn a capture since, nothing new is recorded: see ``WithdrawalWindow``.
    ///   - receivedAt: when the last byte came; `nil` for the database's time.
    ///   - condition: asked first in the transaction. A new capture closes its upload there: else it could still be cancelled. One that is
    ///     known leaves it open, until the bytes are left to that capture.
    ///   - body: the digest of a body that was sent in one request. An open upload of the same, which the device has given up, ends: else
    ///     it could outlive a withdrawal of the capture. `nil` for what was sent otherwise.
    /// - Throws: what it says; ``CaptureError/intakeExpired``, ``CaptureError/beingRecorded`` and ``CaptureError/withdrawnMeanwhile``;
    ///   ``CaptureError/clocksDiffer`` for a new capture that is received at the database's time.
    func record(
        _ id: CaptureID, _ submission: any CaptureSubmitting, device: DeviceID, begun: ContinuousClock.Instant, receivedAt: Date?,
        provided condition: RecordingCondition?, sentAtOnce body: ContentDigest?
    ) async throws -> Recorded

    /// - Throws: `WithdrawnCapture` if it was withdrawn.
    func find(_ id: CaptureID) async throws -> CaptureRow?

    /// - Throws: `WithdrawnCapture` if it was withdrawn.
    func find(shortID: String) async throws -> CaptureRow?

    /// Each service's findings so far, oldest first.
    func parts(of id: CaptureID) async throws -> [PartRow]
}

extension CaptureRepository {
    /// Records a capture without a condition.
    func record(
        _ id: CaptureID, _ submission: any CaptureSubmitting, device: DeviceID, begun: ContinuousClock.Instant, receivedAt: Date? = nil
    ) async throws -> Recorded {
        try await record(id, submission, device: device, begun: begun, receivedAt: receivedAt, provided: nil, sentAtOnce: nil)
    }
}
