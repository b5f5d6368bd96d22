import CaptureProtocol
import Models
import ObjectStorage

extension S3Client {
    /// Stores what was made of a capture as `captures/{id}/{name}-{SHA-256}.{suffix}`, so that two workers cannot overwrite each other
    /// (SPEC §5).
    /// - Parameter name: as `media_objects` names it: `thumbnail.jpg`.
    /// - Throws: storage errors.
    public func storeDerived(
        _ bytes: [UInt8], named name: String, contentType: String, of capture: CaptureID
    ) async throws -> StoredMedia {
        let digest = ContentDigest(of: bytes)
        let stem = name.prefix { $0 != "." }
        let key = "captures/\(capture)/\(stem)-\(digest.hex)\(name.dropFirst(stem.count))"
        try await put(key, bytes: bytes, contentType: contentType, sha256: digest.bytes)
        return StoredMedia(key: key, sha256: digest, sizeBytes: Int64(bytes.count), contentType: contentType)
    }
}
