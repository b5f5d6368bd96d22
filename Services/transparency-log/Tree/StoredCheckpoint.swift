import ObjectStorage
import TransparencyLog

/// The object `checkpoint` of a log: the newest one, with all its cosignatures.
struct StoredCheckpoint: Sendable {
    let objects: LogObjects
    let shard: LogShard

    /// Puts it over the one with this ETag.
    /// - Parameter etag: `nil` if there was none.
    /// - Returns: the new one.
    /// - Throws: ``SequencerHalt/lost(_:)`` if that of a larger tree is there by now.
    func put(_ published: PublishedCheckpoint, over etag: String?) async throws -> String {
        let (key, bytes) = (objects.checkpointKey, try published.served().bytes)
        var etag = etag
        for _ in 0..<3 {
            let stored =
                if let etag {
                    try await objects.store.replace(key, etag: etag, bytes: bytes, contentType: "text/plain; charset=utf-8")
                } else {
                    try await objects.store.putIfAbsent(key, bytes: bytes, contentType: "text/plain; charset=utf-8")
                }
            if let stored { return stored }
            // The object changed: by another instance, by this one's own request whose response was lost, or it was deleted.
            let found = try await objects.fetch(key)
            if let found, found.bytes == bytes { return found.etag }
            if let found, let other = PublishedCheckpoint(found.bytes, of: shard), other.head.size > published.head.size {
                throw SequencerHalt.lost("another instance has published \(other.head.size) leaves")
            }
            etag = found?.etag
        }
        throw ObjectStorageError(.unavailable, "\(key) keeps changing")
    }
}
