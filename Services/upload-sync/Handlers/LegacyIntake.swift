import CaptureProtocol
import MediaStore
import Models
import ObjectStorage
import Persistence

/// Brings media that were accepted under `incoming/{id}/`, by a version before uploads went to where they stay, to their keys.
struct LegacyIntake: Sendable {
    let storage: any ObjectStore
    let database: PostgresPool

    /// - Throws: ``RejectedMessage`` if intake is gone or its bytes are not those that were accepted; storage errors as they are.
    func keep(_ media: StoredMedia, as name: MediaName, of capture: CaptureID) async throws -> StoredMedia {
        let kept = media.kept(as: name, of: capture)
        // Where intake is gone, what is kept is right: it was just compared. Who reads the copy compares it again.
        let accepted = try await storage.accepted(media, keptAs: name, of: capture)
        guard accepted.source != kept else { return kept }
        try await storage.copy(from: media.key, to: kept.key)
        // Now there is intake to be deleted.
        _ = try await database.query(
            """
            INSERT INTO sync_jobs (capture_id, intake_deleted_at) VALUES (\(capture.uuid), NULL)
            ON CONFLICT (capture_id) DO UPDATE SET intake_deleted_at = NULL
            """)
        return kept
    }
}
