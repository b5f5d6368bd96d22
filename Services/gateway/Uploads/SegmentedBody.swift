import CaptureProtocol
import Crypto
import NIOCore
import ObjectStorage

/// A body from its stored segments, in order. The next segment is fetched while one is read, so that it holds two, beside those that are
/// held.
struct SegmentedBody: AsyncSequence, Sendable {
    /// The size of the pieces that readers get.
    static let chunkBytes = 128 * 1024
    let segments: [UploadSegment]
    let storage: any ObjectStore
    /// Segments that are still in memory, by their keys; these are not fetched.
    var held: [String: ByteBuffer] = [:]

    /// The SHA-256 of all of it.
    func digest() async throws -> ContentDigest {
        var hash = SHA256()
        for try await bytes in self { bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) } }
        return ContentDigest(hash.finalize())
    }

    func makeAsyncIterator() -> Iterator { Iterator(segments: segments[...], storage: storage, held: held) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var segments: ArraySlice<UploadSegment>
        fileprivate let storage: any ObjectStore
        fileprivate let held: [String: ByteBuffer]
        private var current = ByteBuffer()
        private var fetched: Task<ByteBuffer, any Error>?

        fileprivate init(segments: ArraySlice<UploadSegment>, storage: any ObjectStore, held: [String: ByteBuffer]) {
            self.segments = segments
            self.storage = storage
            self.held = held
            fetch()
        }

        mutating func next() async throws -> ByteBuffer? {
            while current.readableBytes == 0 {
                guard let fetched else { return nil }
                current = try await fetched.value
                fetch()
            }
            return current.readSlice(length: Swift.min(SegmentedBody.chunkBytes, current.readableBytes))
        }

        private mutating func fetch() {
            fetched = segments.popFirst().map { segment in
                // Nobody cancels this task: an iterator that is dropped leaves at most one, which ends when the store has answered or its
                // attempts are used up.
                Task { [storage, held] in
                    if let bytes = held[segment.key], Int64(bytes.readableBytes) == segment.sizeBytes { return bytes }
                    return try await storage.piece(segment.key, sizeBytes: segment.sizeBytes)
                }
            }
        }
    }
}
