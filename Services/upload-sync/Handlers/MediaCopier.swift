import Blocking
import Crypto
import Foundation
import Imaging
import Models
import ObjectStorage
import Pipeline

/// Crypto has a protocol of this name; here it is always a SHA-256.
typealias Digest = Models.Digest

/// Brings the media of a capture to its final keys.
///
/// The photo is read once: hashed against the digest taken at upload, then copied inside the store, so that what is kept is what
/// was accepted; public copy, thumbnail and the page's pictures are made from the same bytes.
actor MediaCopier {
    static let maximumObjectBytes = 20 * 1024 * 1024
    private let executor = BlockingExecutor(label: "media-copier")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let storage: S3Client

    init(storage: S3Client) { self.storage = storage }

    /// - Throws: ``RejectedMessage`` if intake is gone or its bytes are not those that were accepted; storage errors as they are.
    func copy(_ message: CaptureAnnouncement) async throws -> MediaFindings {
        var objects: [String: StoredMedia] = [:]
        let prefix = "captures/\(message.captureID)/"
        if let photo = message.intake.photo {
            let bytes = try await verified(photo)
            objects["original.jpg"] = try await copy(photo, to: prefix + "original.jpg")
            FailPoint.reached("upload-sync.original")
            for (name, derived) in pictures(from: bytes) {
                objects[name] = try await storage.storeDerived(derived, named: name, contentType: "image/jpeg", of: message.captureID)
            }
        }
        if let depth = message.intake.depth {
            _ = try await verified(depth)
            objects["depth.gz"] = try await copy(depth, to: prefix + "depth.gz")
        }
        objects["metadata.json"] = try await store(
            message.metadata.bytes, key: prefix + "metadata.json", contentType: "application/json")
        return MediaFindings(objects: objects)
    }

    private func verified(_ object: StoredMedia) async throws -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try await storage.getBytes(object.key, limit: Self.maximumObjectBytes)
        } catch let error as ObjectStorageError where error.code == .notFound {
            throw RejectedMessage(reason: "intake_missing", detail: object.key)
        }
        guard Digest(bytes: SHA256.hash(data: bytes)) == object.sha256 else {
            throw RejectedMessage(reason: "digest_mismatch", detail: object.key)
        }
        return bytes
    }

    private func copy(_ object: StoredMedia, to key: String) async throws -> StoredMedia {
        try await storage.copy(from: object.key, to: key)
        return StoredMedia(key: key, sha256: object.sha256, sizeBytes: object.sizeBytes, contentType: object.contentType)
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
        guard let digest = Digest(bytes: SHA256.hash(data: bytes)) else { throw RejectedMessage(reason: "digest_mismatch") }
        try await storage.put(key, bytes: bytes, contentType: contentType, sha256: digest.bytes)
        return StoredMedia(key: key, sha256: digest, sizeBytes: Int64(bytes.count), contentType: contentType)
    }
}
