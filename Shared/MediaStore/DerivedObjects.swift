public import CaptureProtocol
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
}
