import CaptureProtocol
import Foundation
import Logging
import Metrics
import Multipart
import NIOCore
import ObjectStorage
import Observability

/// Receives a capture: streams its body to the store, authenticates and rate-limits it, and records it once.
///
/// No accepted capture is lost even if the response is: stored objects are deleted only if the database confirms that nothing was recorded.
struct CaptureUpload: Sendable {
    let captures: CaptureRepository
    let intakes: IntakeRepository
    let storage: S3Client

    /// - Parameters:
    ///   - receivedAt: when the last byte came; `nil` for the time at which the capture is recorded.
    ///   - condition: of which the capture is recorded.
    ///   - authenticate: gets the SHA-256 of the whole body; throws if the device's signature does not match.
    ///   - admit: called for a valid capture; throws if a rate limit is reached.
    /// - Returns: the new capture, or the existing one if the upload is a repetition.
    /// - Throws: ``CaptureError`` and `MultipartError` for client errors, what the closures throw, and storage and database errors
    ///   unchanged.
    func take(
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable, boundary: MultipartBoundary, from device: DeviceID,
        receivedAt: Date? = nil, provided condition: RecordingCondition? = nil, logger: Logger,
        authenticate: (ContentDigest) async throws -> Void, admit: () async throws -> Void
    ) async throws -> (id: CaptureID, recorded: Recorded) {
        let id = CaptureID()
        let intake = BodyIntake(storage: storage, intakes: intakes, capture: id, device: device, boundary: boundary)
        let submission: CaptureSubmission
        do {
            let (received, digest) = try await intake.read(body)
            try await authenticate(digest)
            submission = try CaptureSubmission(received)
            try await admit()
            try await intake.keepMetadata(submission.metadataBytes)
            FailPoint.reached("gateway.capture.intake")
        } catch {
            await Self.discard(intake)
            throw error
        }
        let recorded = try await record(id, submission, intake, device: device, receivedAt ?? Date(), condition, logger)
        switch recorded {
        case .new:
            FailPoint.reached("gateway.capture.committed")
            Counter(label: "rial_captures_accepted_total").increment()
        // A complete capture needs none of the repeated bytes.
        case .known(let known) where known.status == .complete: await Self.discard(intake)
        case .known(let known):
            guard try await intakes.leave(id, to: known.id) else { throw CaptureError.intakeExpired }
        }
        return (id, recorded)
    }

    private func record(
        _ id: CaptureID, _ submission: CaptureSubmission, _ intake: BodyIntake, device: DeviceID, _ receivedAt: Date,
        _ condition: RecordingCondition?, _ logger: Logger
    ) async throws -> Recorded {
        do {
            return try await captures.record(
                id, submission, device: device, receivedAt: receivedAt, provided: condition)
        } catch {
            let outcome = await intakes.outcome(of: id)
            Counter(label: "rial_recordings_in_doubt_total", dimensions: [("outcome", "\(outcome)")]).increment()
            logger.warning(
                "a capture's recording ended in an error", error: error, metadata: ["capture_id": "\(id)", "outcome": "\(outcome)"])
            switch outcome {
            case .recorded: return .new
            case .abandoned: await Self.discard(intake)
            case .unknown: break
            }
            throw error
        }
    }

    /// In its own task, so that it finishes even if the client disconnects and the request is cancelled.
    private static func discard(_ intake: BodyIntake) async { await Task { await intake.discard() }.value }
}
