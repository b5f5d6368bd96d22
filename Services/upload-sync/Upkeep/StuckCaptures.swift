import CaptureProtocol
import Logging
import Metrics
import Models

/// Captures that are to be announced again.
protocol StuckRepository: Sendable {
    /// - Returns: seconds since the oldest capture in `processing` was received; 0 if there is none.
    func oldestSeconds() async throws -> Double

    /// Announces the captures that are due, those first that were received first, each under a new event id, and doubles the wait before
    /// its next announcement, up to an hour. In one transaction; another instance that does so at the same time finds nothing due.
    ///
    /// Due are captures in `processing`, and those of ``StuckCaptures/ownFaults`` that were announced fewer than
    /// ``StuckCaptures/maximumRepairs`` times; but none of a kind of which an announcement has not been published for as long as `after`.
    /// What would have to wait for more than an hour, since the clock was set back, is due at once.
    /// - Parameter after: the wait since the capture was received; a video's is ``StuckCaptures/videoFactor`` times as long.
    func announceDue(after: Duration, limit: Int) async throws -> [StuckCapture]
}

/// A capture that was due.
struct StuckCapture: Sendable, Equatable {
    let id: CaptureID
    /// `nil` if this version does not know it: then the capture is only rescheduled, so that it blocks no others.
    let kind: CaptureKind?
}

/// Announces captures again that stay in `processing` too long, from PostgreSQL: a broker that loses its log loses no capture. Captures
/// that failed for one of ``ownFaults`` are announced again too, a bounded number of times.
struct StuckCaptures {
    static let batchSize = 100
    /// Failures that are not the capture's fault, and how often they are retried automatically: over about two hours.
    static let ownFaults: [FailureReason] = [.handlingFailed, .processDied]
    static let maximumRepairs = 8
    /// How many times longer the wait before a video is announced again is (SPEC §10.8), since its processing takes longer.
    static let videoFactor: Int64 = 5
    let rows: any StuckRepository
    let after: Duration
    let logger: Logger

    /// Shows how long the oldest capture has been in `processing`.
    func measure() async throws {
        Meter(label: "rial_captures_processing_oldest_seconds").set(try await rows.oldestSeconds())
    }

    /// Announces the captures that are due.
    func announce() async throws {
        let due = try await rows.announceDue(after: after, limit: Self.batchSize)
        for capture in due where capture.kind == nil {
            logger.error("a capture of an unknown kind is not announced", metadata: ["capture_id": "\(capture.id)"])
        }
        let announced = due.count { $0.kind != nil }
        Counter(label: "rial_captures_announced_again_total").increment(by: announced)
        guard announced > 0 else { return }
        logger.notice("captures announced again", metadata: ["count": "\(announced)"])
    }
}
