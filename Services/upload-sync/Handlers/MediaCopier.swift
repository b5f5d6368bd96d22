import Blocking
import CaptureProtocol
import Foundation
import Imaging
import MediaStore
import Models
import ObjectStorage
import Observability

/// Brings the media of a capture to its final keys.
///
/// The photo is read once: compared with the digest taken at upload, then copied inside the store; public copy, thumbnail and the page's
/// pictures are made from the same bytes. Who reads the copy compares it again.
actor MediaCopier {
    private let executor = BlockingExecutor(label: "media-copier")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let storage: S3Client

    init(storage: S3Client) { self.storage = storage }

    /// - Throws: ``RejectedMessage`` if intake is gone or its bytes are not those that were accepted; storage errors as they are.
    func copy(_ message: CaptureAnnouncement) async throws -> MediaFindings {
        var objects: [String: StoredMedia] = [:]
        if let photo = message.intake.photo {
            let accepted = try await storage.accepted(photo, keptAs: "original.jpg", of: message.captureID)
            let original = photo.kept(as: "original.jpg", of: message.captureID)
            // Where intake is gone, what is kept is right: it was just compared.
            if accepted.source != original { try await storage.copy(from: photo.key, to: original.key) }
            objects["original.jpg"] = original
            FailPoint.reached("upload-sync.original")
            for (name, derived) in pictures(from: accepted.bytes) {
                objects[name] = try await storage.storeDerived(derived, named: name, contentType: "image/jpeg", of: message.captureID)
            }
        }
        if let depth = message.intake.depth {
            let accepted = try await storage.accepted(depth, keptAs: "depth.gz", of: message.captureID)
            let kept = depth.kept(as: "depth.gz", of: message.captureID)
            // Small, and read by nobody before the capture is complete: the very bytes that were compared are kept.
            if accepted.source != kept {
                try await storage.put(kept.key, bytes: accepted.bytes, contentType: kept.contentType, sha256: kept.sha256.bytes)
            }
            objects["depth.gz"] = kept
        }
        objects["metadata.json"] = try await store(
            message.metadata.bytes, key: "captures/\(message.captureID)/metadata.json", contentType: "application/json")
        return MediaFindings(objects: objects)
    }

    /// A photo that no decoder reads keeps its original and has no pictures made of it.
    private func pictures(from photo: [UInt8]) -> [(name: String, bytes: [UInt8])] {
        let copies = try? PhotoVariants.make(photo, orientation: EXIFReader.orientation(of: photo) ?? 1)
        let named = [
            ("thumbnail.jpg", copies?.thumbnail), ("photo-828.jpg", copies?.small), ("photo-1656.jpg", copies?.large),
            ("public.jpg", try? JPEGSegments.publicCopy(of: photo)),
        ]
        return named.compactMap { name, bytes in bytes.map { (name, $0) } }
    }

    private func store(_ bytes: [UInt8], key: String, contentType: String) async throws -> StoredMedia {
        let digest = ContentDigest(of: bytes)
        try await storage.put(key, bytes: bytes, contentType: contentType, sha256: digest.bytes)
        return StoredMedia(key: key, sha256: digest, sizeBytes: Int64(bytes.count), contentType: contentType)
    }
}
