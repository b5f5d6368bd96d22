import CaptureProtocol
import MediaStore
import Models
import ObjectStorage
import Observability

/// Looks up the media of a capture in the store and compares their sizes with those accepted. Digests are compared by readers of the bytes,
/// and periodically by ``MediaScrubber``.
struct MediaInventory: Sendable {
    let storage: any ObjectStore
    /// For captures of versions that stored uploads under a separate prefix.
    let intake: LegacyIntake

    /// - Throws: ``RejectedMessage`` if media are missing or differ from those accepted; storage errors unchanged.
    func take(_ message: CaptureAnnouncement) async throws -> MediaFindings {
        let capture = message.captureID
        var objects: [MediaName: StoredMedia] = [:]
        for (media, name) in message.content.uploads { objects[name] = try await find(media, named: name, of: capture) }
        FailPoint.reached("upload-sync.original")
        objects[.metadata] = try await metadata(message.metadata, of: capture)
        return MediaFindings(objects: objects)
    }

    private func find(_ media: StoredMedia, named name: MediaName, of capture: CaptureID) async throws -> StoredMedia {
        let kept = media.kept(as: name, of: capture)
        guard media.key == kept.key else { return try await intake.keep(media, as: name, of: capture) }
        guard let found = try await storage.head(kept.key) else { throw RejectedMessage(.intakeMissing, detail: kept.key) }
        guard found.sizeBytes == kept.sizeBytes else {
            throw RejectedMessage(.digestMismatch, detail: "\(kept.key) has \(found.sizeBytes) bytes, not \(kept.sizeBytes)")
        }
        return kept
    }

    /// The announcement contains the metadata, so a missing object is written again.
    private func metadata(_ bytes: [UInt8], of capture: CaptureID) async throws -> StoredMedia {
        let kept = StoredMedia(bytes, as: .metadata, of: capture)
        if try await storage.head(kept.key)?.sizeBytes != kept.sizeBytes {
            try await storage.put(kept.key, bytes: bytes, contentType: kept.contentType, sha256: kept.sha256.bytes)
        }
        return kept
    }
}
