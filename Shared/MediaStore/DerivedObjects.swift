public import CaptureProtocol
import Crypto
public import Models
public import ObjectStorage

extension ObjectStore {
    /// Stores a derived object of a capture under a key that contains its digest.
    /// - Parameter pixels: a picture's size as displayed; `nil` for other objects.
    /// - Throws: storage errors.
    public func storeDerived(
        _ bytes: [UInt8], named name: MediaName, of capture: CaptureID, pixels: PixelSize? = nil
    ) async throws -> StoredMedia {
        let digest = ContentDigest(of: bytes)
        let key = name.key(of: capture, digest: digest)
        try await put(key, bytes: bytes, contentType: name.contentType, sha256: digest.bytes)
        return StoredMedia(key: key, sha256: digest, sizeBytes: Int64(bytes.count), contentType: name.contentType, pixels: pixels)
    }

    /// Stores something that is not in memory, under a key with its digest.
    /// - Parameter read: reads a range of at most 1 MiB.
    /// - Throws: storage errors, and what `read` throws.
    public func storeDerived(
        _ sizeBytes: Int64, named name: MediaName, of capture: CaptureID, reading read: @escaping @Sendable (Range<Int64>) throws -> [UInt8]
    ) async throws -> StoredMedia {
        var hasher = SHA256()
        var position: Int64 = 0
        while position < sizeBytes {
            let range = position..<min(position + (1 << 20), sizeBytes)
            hasher.update(data: try read(range))
            position = range.upperBound
        }
        let digest = ContentDigest(hasher.finalize())
        let media = StoredMedia(
            key: name.key(of: capture, digest: digest), sha256: digest, sizeBytes: sizeBytes, contentType: name.contentType)
        try await put(media, reading: read)
        return media
    }
}
