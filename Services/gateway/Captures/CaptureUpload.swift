import CaptureProtocol
import Foundation
import Logging
import Metrics
import Models
import Multipart
import NIOCore
import ObjectStorage
import Observability

/// Receives a capture: streams its body to the store, authenticates and rate-limits it, and records it once.
///
/// No accepted capture is lost even if the response is: stored objects are deleted only if the database confirms that nothing was recorded.
struct CaptureUpload: Sendable {
    let captures: any CaptureRepository
    let intakes: any IntakeRepository
    let storage: any ObjectStore

    /// - Parameters:
    ///   - type: what the body must be.
    ///   - declaredBytes: the announced size of the body; `nil` if unknown.
    ///   - receivedAt: when the last byte came; `nil` for the database's time when the capture is recorded.
    ///   - condition: of which the capture is recorded.
    ///   - authenticate: gets the SHA-256 of the whole body; throws if the device's signature does not match.
    ///   - admit: called for a valid capture; throws if a rate limit is reached.
    /// - Returns: the new capture, or the existing one if the upload is a repetition.
    /// - Throws: ``CaptureError`` and `MultipartError` for client errors, what the closures throw, and storage and database errors
    ///   unchanged.
    func take(
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable, as type: CaptureType, boundary: MultipartBoundary,
        declaredBytes: Int? = nil, from device: DeviceID, receivedAt: Date? = nil, provided condition: RecordingCondition? = nil,
        logger: Logger, authenticate: (ContentDigest) async throws -> Void, admit: () async throws -> Void
    ) async throws -> (id: CaptureID, recorded: Recorded) {
        let id = CaptureID()
        let recorded: Recorded
        switch type {
        case .photo:
            recorded = try await take(
                body, PhotoParts(), boundary, declaredBytes, id, device, receivedAt, condition, logger, authenticate, admit
            ) {
                try PhotoSubmission($0.received)
            }
        case .video:
            recorded = try await take(
                body, VideoParts(), boundary, declaredBytes, id, device, receivedAt, condition, logger, authenticate, admit
            ) {
                try VideoSubmission($0.received, hashChainKey: MediaName.hashChain.key(of: id))
            }
        }
        return (id, recorded)
    }

    private func take<Parts: CaptureParts>(
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable, _ parts: Parts, _ boundary: MultipartBoundary,
        _ declaredBytes: Int?, _ id: CaptureID, _ device: DeviceID, _ receivedAt: Date?, _ condition: RecordingCondition?, _ logger: Logger,
        _ authenticate: (ContentDigest) async throws -> Void, _ admit: () async throws -> Void,
        submission: (Parts) throws -> any MediaSubmitting
    ) async throws -> Recorded {
        let intake = BodyIntake(
            parts, storage: storage, intakes: intakes, capture: id, device: device, boundary: boundary, declaredBytes: declaredBytes)
        let submitted: any MediaSubmitting
        do {
            let (received, digest) = try await intake.read(body)
            try await authenticate(digest)
            submitted = try submission(received)
            try await admit()
            for part in submitted.kept { try await intake.keep(part.bytes, as: part.name) }
            FailPoint.reached("gateway.capture.intake")
        } catch {
            await Self.discard(intake)
            throw error
        }
        let recorded = try await record(id, submitted, intake, device: device, receivedAt, condition, logger)
        switch recorded {
        case .new:
            FailPoint.reached("gateway.capture.committed")
            Counter(label: "rial_captures_accepted_total").increment()
        // A complete capture needs none of the repeated bytes.
        case .known(let known) where known.status == .complete: await Self.discard(intake)
        case .known(let known):
            guard try await intakes.leave(id, to: known.id) else { throw CaptureError.intakeExpired }
        }
        return recorded
    }

    private func record(
        _ id: CaptureID, _ submission: any MediaSubmitting, _ intake: BodyIntake<some CaptureParts>, device: DeviceID, _ receivedAt: Date?,
        _ condition: RecordingCondition?, _ logger: Logger
    ) async throws -> Recorded {
        do {
            return try await captures.record(
                id, submission, device: device, receivedAt: receivedAt, provided: condition)
        } catch {
            let outcome = await intakes.outcome(of: id)
            Self.inDoubt(outcome).increment()
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

    private static func inDoubt(_ outcome: RecordingOutcome) -> Counter {
        Counter(label: "rial_recordings_in_doubt_total", dimensions: [("outcome", "\(outcome)")])
    }

    /// Shows the counters before there is anything to count, so that the first time is an increase.
    static func showCounters() {
        for outcome in RecordingOutcome.allCases { inDoubt(outcome).increment(by: 0) }
    }

    /// In its own task, so that it finishes even if the client disconnects and the request is cancelled.
    private static func discard(_ intake: BodyIntake<some CaptureParts>) async { await Task { await intake.discard() }.value }
}
