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
        var objects =
            switch message.content {
            case .photo(let content): try await copy(content, of: message.captureID)
            }
        objects[.metadata] = try await store(message.metadata, as: .metadata, of: message.captureID)
        return MediaFindings(objects: objects)
    }

    private func copy(_ content: PhotoContent, of capture: CaptureID) async throws -> [MediaName: StoredMedia] {
        let photo = try await storage.accepted(content.photo, keptAs: .original, of: capture)
        let original = content.photo.kept(as: .original, of: capture)
        // Where intake is gone, what is kept is right: it was just compared.
        if photo.source != original { try await storage.copy(from: content.photo.key, to: original.key) }
        FailPoint.reached("upload-sync.original")
        var objects = [MediaName.original: original]
        for (name, derived) in pictures(from: photo.bytes) {
            objects[name] = try await storage.storeDerived(derived, named: name, of: capture)
        }
        let depth = try await storage.accepted(content.depth, keptAs: .depth, of: capture)
        let kept = content.depth.kept(as: .depth, of: capture)
        // Small, and read by nobody before the capture is complete: the very bytes that were compared are kept.
        if depth.source != kept {
            try await storage.put(kept.key, bytes: depth.bytes, contentType: kept.contentType, sha256: kept.sha256.bytes)
        }
        objects[.depth] = kept
        return objects
    }

    /// A photo that no decoder reads keeps its original and has no pictures made of it.
    private func pictures(from photo: [UInt8]) -> [(name: MediaName, bytes: [UInt8])] {
        let copies = try? PhotoVariants.make(photo, orientation: EXIFReader.orientation(of: photo) ?? 1)
        let named = [
            (MediaName.thumbnail, copies?.thumbnail), (.smallPicture, copies?.small), (.largePicture, copies?.large),
            (.publicCopy, try? JPEGSegments.publicCopy(of: photo)),
        ]
        return named.compactMap { name, bytes in bytes.map { (name, $0) } }
    }

    private func store(_ bytes: [UInt8], as name: MediaName, of capture: CaptureID) async throws -> StoredMedia {
        let object = StoredMedia(
            key: "captures/\(capture)/\(name.rawValue)", sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count),
            contentType: name.contentType)
        try await storage.put(object.key, bytes: bytes, contentType: object.contentType, sha256: object.sha256.bytes)
        return object
    }
}
