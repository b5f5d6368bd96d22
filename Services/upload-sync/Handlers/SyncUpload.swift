import CaptureProtocol
import Delivery
import Models
import Observability
import Persistence

/// Copies a capture's media from intake to its final keys, checks the digests, makes thumbnail and public copy.
/// A capture seen again gets the stored result, unless it failed because what was kept is no more, or something else: then it is copied
/// anew.
struct SyncUpload: MessageHandler {
    /// Failures of a capture that say that kept media is not what it was.
    static let damage: [FailureReason] = [.digestMismatch, .originalMissing, .pictureMissing]
    let copier: MediaCopier
    let database: PostgresPool
    let publisher: PartPublisher<MediaSynced>

    func handle(_ message: CaptureReceived, _ context: MessageContext) async throws {
        try await forgetDamaged(message.captureID)
        guard let announcement = try await publisher.begin(message.captureID, answering: context) else { return }
        let findings = try await copier.copy(announcement)
        FailPoint.reached("upload-sync.copied")
        try await publisher.publish(message.captureID, answering: context) { connection in
            // A second worker copied the same bytes.
            let kept = try await publisher.results.save(findings, for: message.captureID, on: connection)
            try await MediaObjectRepository().insert(kept.objects, of: message.captureID, on: connection)
        }
    }

    private func forgetDamaged(_ capture: CaptureID) async throws {
        _ = try await database.query(
            """
            UPDATE sync_jobs SET result = NULL, synced_at = NULL FROM captures
            WHERE sync_jobs.capture_id = \(capture.uuid) AND captures.id = sync_jobs.capture_id AND sync_jobs.result IS NOT NULL
                AND captures.status = 'failed' AND captures.failure = ANY(\(Self.damage.map(\.rawValue)))
            """)
    }

    func giveUp(_ message: CaptureReceived, reason: FailureReason, on connection: PostgresConnection) async throws {
        try await publisher.giveUp(message.captureID, reason: reason, on: connection)
    }
}
