import Models
import Persistence
import Pipeline

/// Copies a capture's media from intake to its final keys, checks the digests, makes thumbnail and public copy.
/// A capture seen again gets the stored result.
struct SyncUpload: MessageHandler {
    let copier: MediaCopier
    let publisher: PartPublisher<MediaSynced>

    func handle(_ message: CaptureReceived, _ context: MessageContext) async throws {
        guard let announcement = try await publisher.begin(message.captureID, answering: context) else { return }
        let findings = try await copier.copy(announcement)
        FailPoint.reached("upload-sync.copied")
        try await publisher.publish(message.captureID, answering: context) { connection in
            // A second worker copied the same bytes.
            let kept = try await publisher.results.save(findings, for: message.captureID, on: connection)
            try await MediaObjectRepository().insert(kept.objects, of: message.captureID, on: connection)
        }
    }

    func giveUp(_ message: CaptureReceived, reason: String, on connection: PostgresConnection) async throws {
        try await publisher.giveUp(message.captureID, reason: reason, on: connection)
    }
}
