import CaptureProtocol
import MediaStore
import Models
import ObjectStorage

/// Of which captures there is intake to be deleted once they are complete.
protocol LegacyIntakeRepository: Sendable {
    func noteIntake(of capture: CaptureID) async throws
}

/// Brings media that were accepted under `incoming/{id}/`, by a version before uploads went to where they stay, to their keys.
struct LegacyIntake: Sendable {
    let storage: any ObjectStore
    let rows: any LegacyIntakeRepository

    /// - Throws: ``RejectedMessage`` if intake is gone or its bytes are not those that were accepted; storage errors as they are.
    func keep(_ media: StoredMedia, as name: MediaName, of capture: CaptureID) async throws -> StoredMedia {
        let kept = media.kept(as: name, of: capture)
        // Where intake is gone, what is kept is right: it was just compared. Who reads the copy compares it again.
        let accepted = try await storage.accepted(media, keptAs: name, of: capture)
        guard accepted.source != kept else { return kept }
        try await storage.copy(from: media.key, to: kept.key)
        try await rows.noteIntake(of: capture)
        return kept
    }
}
