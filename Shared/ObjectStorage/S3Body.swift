import AsyncHTTPClient
import CaptureProtocol
import Crypto
import Metrics
public import Models
public import NIOCore

/// An object being read.
struct S3Object: Sendable {
    /// The size of the body: of the range, if one was requested. `nil` if the store does not say.
    let sizeBytes: Int64?
    let etag: String
    let contentType: String
    let body: S3Body
}

/// The stream of an object's bytes. A broken connection is an ``ObjectStorageError`` with `.unavailable`.
public struct S3Body: AsyncSequence, Sendable {
    public typealias Element = ByteBuffer
    let body: HTTPClientResponse.Body
    /// Counts the bytes received from the store.
    let received: Counter?

    init(body: HTTPClientResponse.Body, received: Counter) {
        self.body = body
        self.received = received
    }

    /// A body of bytes in memory, given in pieces.
    public init(_ pieces: [ByteBuffer]) {
        body = .stream(
            AsyncStream { continuation in
                for piece in pieces { continuation.yield(piece) }
                continuation.finish()
            })
        received = nil
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: HTTPClientResponse.Body.AsyncIterator
        let received: Counter?

        /// - Throws: ``ObjectStorageError`` with `.unavailable` if the connection breaks; `CancellationError`.
        public mutating func next() async throws -> ByteBuffer? {
            do {
                let chunk = try await base.next()
                if let chunk { received?.increment(by: chunk.readableBytes) }
                return chunk
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                throw ObjectStorageError(.unavailable, "answer cut short: \(error)")
            }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: body.makeAsyncIterator(), received: received) }
}

/// The stream of a whole object's bytes; the last ones are withheld until the digest was compared.
public struct ComparedBody: AsyncSequence, Sendable {
    public typealias Element = ByteBuffer
    private let base: S3Body
    private let media: StoredMedia

    /// - Parameter sizeBytes: the size that the store reports; `nil` if it does not.
    /// - Throws: ``ObjectStorageError`` with `.digestMismatch` if that differs from the accepted size.
    public init(_ base: S3Body, sizeBytes: Int64?, media: StoredMedia) throws(ObjectStorageError) {
        guard sizeBytes == nil || sizeBytes == media.sizeBytes else {
            throw ObjectStorageError(.digestMismatch, "\(media.key) has \(sizeBytes ?? 0) bytes, not \(media.sizeBytes)")
        }
        self.base = base
        self.media = media
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: S3Body.AsyncIterator
        let media: StoredMedia
        private var hasher = SHA256()
        private var missing: Int64
        /// Received but not yet returned.
        private var held: ByteBuffer?
        private var isEnded = false

        init(base: S3Body.AsyncIterator, media: StoredMedia) {
            self.base = base
            self.media = media
            missing = media.sizeBytes
        }

        /// - Throws: ``ObjectStorageError`` with `.digestMismatch` instead of returning the last bytes, if size or digest differ.
        public mutating func next() async throws -> ByteBuffer? {
            guard !isEnded else { return nil }
            while let chunk = try await base.next() {
                guard chunk.readableBytes <= missing else { throw mismatch }
                missing -= Int64(chunk.readableBytes)
                chunk.withUnsafeReadableBytes { hasher.update(bufferPointer: $0) }
                let previous = held
                held = chunk
                if let previous { return previous }
            }
            isEnded = true
            guard missing == 0, ContentDigest(hasher.finalize()) == media.sha256 else { throw mismatch }
            return held.take()
        }

        private var mismatch: ObjectStorageError { ObjectStorageError(.digestMismatch, media.key) }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator(), media: media) }
}
