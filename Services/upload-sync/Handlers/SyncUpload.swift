import Models
import Persistence
import Pipeline

/// Copies a capture's media from intake to its final keys, checks the digests, makes thumbnail and public copy.
/// A capture seen again gets the stored result.
struct SyncUpload: MessageHandler {
    let copier: MediaCopier
    let database: PostgresPool
    let publisher: PartPublisher<MediaSynced>

    func handle(_ message: CaptureReceived, _ context: MessageContext) async throws {
        let jobs = SyncJobRepository()
        if let stored = try await database.withConnection({ try await jobs.result(of: message.captureID, on: $0) }) {
            try await publisher.publish(stored, for: message.captureID, answering: context, database: database)
            return
        }
        let findings = try await copier.copy(message)
        FailPoint.reached("upload-sync.copied")
        try await publisher.publish(findings, for: message.captureID, answering: context, database: database) { connection in
            try await jobs.save(findings, for: message.captureID, on: connection)
        }
    }

    func giveUp(_ message: CaptureReceived, reason: String, on connection: PostgresConnection) async throws {
        try await publisher.giveUp(message.captureID, reason: reason, on: connection)
    }
}
