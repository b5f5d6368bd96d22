import CaptureProtocol
import MediaStore
import Models
import ObjectStorage
import Observability

/// Looks for the media of a capture in the store, and compares their sizes with what was accepted. Who uses their bytes compares the
/// digests, and ``MediaScrubber`` does from time to time.
struct MediaInventory: Sendable {
    let storage: any ObjectStore
    /// Of a capture from when uploads lay apart.
    let intake: LegacyIntake

    /// - Throws: ``RejectedMessage`` if media are gone or are not those that were accepted; storage errors as they are.
    func take(_ message: CaptureAnnouncement) async throws -> MediaFindings {
        let capture = message.captureID
        let parts: [(media: StoredMedia, name: MediaName)] =
            switch message.content {
            case .photo(let content): [(content.photo, .original), (content.depth, .depth)]
            }
        var objects: [MediaName: StoredMedia] = [:]
        for (media, name) in parts { objects[name] = try await find(media, named: name, of: capture) }
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

    /// Its bytes are in the announcement: where they are missing they are put.
    private func metadata(_ bytes: [UInt8], of capture: CaptureID) async throws -> StoredMedia {
        let name = MediaName.metadata
        let kept = StoredMedia(
            key: name.key(of: capture), sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count), contentType: name.contentType)
        if try await storage.head(kept.key)?.sizeBytes != kept.sizeBytes {
            try await storage.put(kept.key, bytes: bytes, contentType: kept.contentType, sha256: kept.sha256.bytes)
        }
        return kept
    }
}
