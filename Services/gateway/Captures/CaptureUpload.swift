import CaptureProtocol
import Logging
import Metrics
import Models
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
    ///   - authenticate: gets the SHA-256 of the whole body; throws if the device's signature does not match.
    ///   - admit: called for a valid capture; throws if a rate limit is reached.
    /// - Returns: the new capture, or the existing one if the upload is a repetition.
    /// - Throws: ``CaptureError`` and `MultipartError` for client errors, what the closures throw, and storage and database errors
    ///   unchanged.
    func take(
        _ bytes: some AsyncSequence<ByteBuffer, any Error> & Sendable, _ body: IncomingBody, from device: DeviceID,
        authenticate: (ContentDigest) async throws -> Void, admit: () async throws -> Void
    ) async throws -> (id: CaptureID, recorded: Recorded) {
        let id = CaptureID()
        let recorded: Recorded
        switch body.type {
        case .photo:
            let intake = BodyIntake(PhotoParts(), of: body, storage: storage, intakes: intakes, capture: id, device: device)
            recorded = try await take(bytes, body, by: intake, id, device, authenticate, admit) { try PhotoSubmission($0.received) }
        case .video:
            let intake = BodyIntake(VideoParts(), of: body, storage: storage, intakes: intakes, capture: id, device: device)
            recorded = try await take(bytes, body, by: intake, id, device, authenticate, admit) {
                try VideoSubmission($0.received, of: id)
            }
        }
        return (id, recorded)
    }

    private func take<Parts: CaptureParts>(
        _ bytes: some AsyncSequence<ByteBuffer, any Error> & Sendable, _ body: IncomingBody, by intake: BodyIntake<Parts>,
        _ id: CaptureID, _ device: DeviceID, _ authenticate: (ContentDigest) async throws -> Void, _ admit: () async throws -> Void,
        submission: (Parts) throws -> any MediaSubmitting
    ) async throws -> Recorded {
        let submitted: any MediaSubmitting
        let digest: ContentDigest
        do {
            let received: Parts
            (received, digest) = try await intake.read(bytes)
            try await authenticate(digest)
            submitted = try submission(received)
            try await admit()
            for part in submitted.kept { try await intake.keep(part.bytes, as: part.name) }
            FailPoint.reached("gateway.capture.intake")
        } catch {
            await Self.discard(intake)
            throw error
        }
        let recorded = try await record(id, submitted, body, digest, of: device, intake)
        switch recorded {
        case .new:
            FailPoint.reached("gateway.capture.committed")
            Self.accepted.increment()
        // A complete capture needs none of the repeated bytes.
        case .known(let known) where known.status == .complete: await Self.discard(intake)
        case .known(let known):
            guard try await intakes.leave(id, to: known.id) else { throw CaptureError.intakeExpired }
        }
        return recorded
    }

    private func record(
        _ id: CaptureID, _ submission: any MediaSubmitting, _ body: IncomingBody, _ digest: ContentDigest, of device: DeviceID,
        _ intake: BodyIntake<some CaptureParts>
    ) async throws -> Recorded {
        do {
            return try await captures.record(
                id, submission, device: device, begun: body.begun, receivedAt: body.receivedAt, provided: body.condition,
                sentAtOnce: body.condition == nil ? digest : nil)
        } catch let refusal as any RecordingRefusal {
            await Self.discard(intake)
            throw refusal
        } catch {
            let outcome = await intakes.outcome(of: id)
            Self.inDoubt(outcome).increment()
            body.logger.warning(
                "a capture's recording ended in an error", error: error, metadata: ["capture_id": "\(id)", "outcome": "\(outcome)"])
            switch outcome {
            case .recorded: return .new
            case .abandoned: await Self.discard(intake)
            case .unknown: break
            }
            throw error
        }
    }

    /// Counts the captures that were recorded, of every kind.
    static var accepted: Counter { Counter(label: "rial_captures_accepted_total") }

    private static func inDoubt(_ outcome: RecordingOutcome) -> Counter {
        Counter(label: "rial_recordings_in_doubt_total", dimensions: [("outcome", "\(outcome)")])
    }

    /// Shows the counters before there is anything to count, so that the first time is an increase.
    static func showCounters() {
        accepted.increment(by: 0)
        for outcome in RecordingOutcome.allCases { inDoubt(outcome).increment(by: 0) }
    }

    /// In its own task, so that it finishes even if the client disconnects and the request is cancelled.
    private static func discard(_ intake: BodyIntake<some CaptureParts>) async { await Task { await intake.discard() }.value }
}
