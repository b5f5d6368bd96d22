import CaptureProtocol
import Models
import ObjectStorage

extension S3Client {
    /// Stores what was made of a capture as `captures/{id}/{name}-{SHA-256}.{suffix}`, so that two workers cannot overwrite each other
    /// (SPEC §5).
    /// - Throws: storage errors.
    public func storeDerived(
        _ bytes: [UInt8], named name: MediaName, of capture: CaptureID
    ) async throws -> StoredMedia {
        let digest = ContentDigest(of: bytes)
        let stem = name.rawValue.prefix { $0 != "." }
        let key = "captures/\(capture)/\(stem)-\(digest.hex)\(name.rawValue.dropFirst(stem.count))"
        try await put(key, bytes: bytes, contentType: name.contentType, sha256: digest.bytes)
        return StoredMedia(key: key, sha256: digest, sizeBytes: Int64(bytes.count), contentType: name.contentType)
    }
}
