import CaptureProtocol
import Crypto
import Models
import ObjectStorage

extension ObjectStore {
    /// Stores something that is not in memory, under a key with its digest.
    /// - Parameter read: reads a range of at most 1 MiB.
    func storeDerived(
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
