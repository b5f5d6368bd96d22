import CaptureProtocol
import MediaStore
import Models
import ObjectStorage

/// Marks captures whose intake objects are to be deleted once they are complete.
protocol LegacyIntakeRepository: Sendable {
    func noteIntake(of capture: CaptureID) async throws
}

/// Copies media that an earlier version stored under `incoming/{id}/` to their final keys. Uploads now go to the final keys directly.
struct LegacyIntake: Sendable {
    let storage: any ObjectStore
    let rows: any LegacyIntakeRepository

    /// - Throws: ``RejectedMessage`` if the intake object is missing or its digest differs from the accepted one; storage errors unchanged.
    func keep(_ media: StoredMedia, as name: MediaName, of capture: CaptureID) async throws -> StoredMedia {
        let kept = media.kept(as: name, of: capture)
        // If the intake object is gone, the kept copy was just compared and is right. Readers of a copy compare its digest again.
        let accepted = try await storage.accepted(media, keptAs: name, of: capture)
        guard accepted.source != kept else { return kept }
        try await storage.copy(from: media.key, to: kept.key)
        try await rows.noteIntake(of: capture)
        return kept
    }
}
