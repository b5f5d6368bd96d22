public import CaptureProtocol
public import Foundation
public import Models
public import NIOCore

/// The objects of one bucket, for handlers and sweeps. Reading returns only bytes that were compared with the accepted digest. All methods
/// throw ``ObjectStorageError``, or `CancellationError` if their task is cancelled.
public protocol ObjectStore: Sendable {
    associatedtype Upload: ObjectUpload

    /// Stores the bytes under the key, over what was there.
    /// - Parameter sha256: their digest if the caller has it, so that they are not hashed again.
    func put(_ key: String, bytes: [UInt8], contentType: String, sha256: [UInt8]?) async throws

    /// Stores the bytes under the key, over what was there.
    /// - Returns: whether the store answered each request: one that it did not answer it may still carry out, after a deletion too.
    func putAnswered(_ key: String, buffer: ByteBuffer, contentType: String) async throws -> Bool

    /// Stores the bytes unless there is an object under the key (`If-None-Match: *`).
    /// - Returns: the new object's ETag; `nil` if there is one already, which is left as it is. After an answer that was lost it may be
    ///   this one, so the caller reads what is there.
    func putIfAbsent(_ key: String, bytes: [UInt8], contentType: String) async throws -> String?

    /// Stores the bytes over the object with this ETag (`If-Match`).
    /// - Returns: the new object's ETag; `nil` if there is another object or none, and nothing was stored. After an answer that was lost
    ///   the other may be this one.
    func replace(_ key: String, etag: String, bytes: [UInt8], contentType: String) async throws -> String?

    /// Reads a small object **without** comparing anything: only for bytes that prove themselves, such as a signed note or what has to hash
    /// to a known root.
    /// - Returns: `nil` if there is no such object.
    /// - Throws: `.tooLarge` beyond `limit` bytes.
    func fetch(_ key: String, limit: Int) async throws -> FetchedObject?

    /// Stores what a source reads, without holding it in memory.
    /// - Parameters:
    ///   - media: key, size, digest and type of what is stored.
    ///   - read: reads a range of at most 1 MiB; what it throws is thrown unchanged, and nothing is stored then.
    func put(_ media: StoredMedia, reading read: @Sendable (Range<Int64>) throws -> [UInt8]) async throws

    /// Starts an upload of unknown length; the caller writes, then finishes or aborts it.
    /// - Parameter expecting: about how many bytes come, if that was announced. More or fewer may come.
    func putStream(_ key: String, contentType: String, expecting: Int?) -> Upload

    /// Reads the whole object and compares its size and SHA-256 with those in `media`.
    /// - Throws: `.digestMismatch` if they differ, `.notFound` if there is no such object, `.tooLarge` beyond
    ///   ``S3Client/maximumObjectBytes``.
    func read(_ media: StoredMedia) async throws -> [UInt8]

    /// Streams the whole object; the last bytes are withheld until size and SHA-256 were compared with those in `media`.
    ///
    /// A caller that uses bytes before the end must be able to abort: an HTTP response then ends before its declared length.
    /// - Throws: as ``read(_:)``; the stream itself also throws.
    func stream(_ media: StoredMedia) async throws -> ComparedBody

    /// Reads a range of an object **without** comparing anything: only for whoever compares it later with what ``stream(_:)`` gives.
    /// - Throws: `.tooLarge` for more than ``S3Client/maximumPieceBytes``, `.digestMismatch` if there are fewer bytes, `.notFound`.
    func piece(_ range: Range<Int64>, of media: StoredMedia) async throws -> [UInt8]

    /// Reads a whole object **without** comparing its digest: for a piece of a body whose reader compares the digest of all of it before
    /// anything is made of it.
    /// - Parameter sizeBytes: the size that the object must have.
    /// - Throws: `.tooLarge` for a larger object or more than ``S3Client/maximumObjectBytes``, `.digestMismatch` for a smaller one,
    ///   `.notFound`.
    func piece(_ key: String, sizeBytes: Int64) async throws -> ByteBuffer

    /// SHA-256 over the concatenated objects, each compared with its own digest.
    /// - Throws: as ``read(_:)``.
    func digest(ofAll objects: [StoredMedia]) async throws -> ContentDigest

    /// `nil` if there is no such object.
    func head(_ key: String) async throws -> StoredObject?

    /// Copies inside the store, without comparing digests: readers of the copy do that.
    func copy(from source: String, to destination: String) async throws

    /// Deletes the keys; missing ones are not an error.
    func delete(_ keys: [String]) async throws

    /// Lists the objects with the key prefix, in order, in pages of at most 1,000.
    /// - Parameter continuation: from the previous page; `nil` for the first.
    func list(prefix: String, continuation: String?) async throws -> ObjectPage

    /// Unfinished multipart uploads under the prefix, up to 1,000.
    func unfinishedUploads(under prefix: String) async throws -> [UnfinishedUpload]

    /// Aborts a multipart upload and deletes its parts; one that no longer exists is not an error.
    func end(_ upload: UnfinishedUpload) async throws
}

extension ObjectStore {
    /// Stores the bytes under the key, over what was there.
    public func put(_ key: String, bytes: [UInt8], contentType: String) async throws {
        try await put(key, bytes: bytes, contentType: contentType, sha256: nil)
    }

    /// Lists the first page.
    public func list(prefix: String) async throws -> ObjectPage { try await list(prefix: prefix, continuation: nil) }
}

/// An object that is stored as its bytes come. ``abort()`` leaves no object behind.
public protocol ObjectUpload: Actor {
    /// Whether a request to store something got no response, also one that was repeated: the store may still do it, after a deletion too.
    var isUnanswered: Bool { get }

    /// Appends the bytes; returns when there is room for more.
    /// - Throws: ``ObjectStorageError`` or `CancellationError`.
    func write(_ bytes: ByteBuffer) async throws

    /// Completes the object.
    /// - Parameter sha256: the digest of all bytes, if the caller has it; bytes that are put at once are then not hashed again.
    /// - Throws: ``ObjectStorageError`` or `CancellationError`.
    func finish(sha256: [UInt8]?) async throws -> StoredObject

    /// Aborts the upload without creating an object. Does not throw: if the store is down, a sweep of the prefix aborts it later
    /// (``ObjectStore/unfinishedUploads(under:)``).
    /// - Returns: false if the store may still have parts of it, or get them.
    @discardableResult
    func abort() async -> Bool
}

/// A store whose objects clients download, whole or in part.
public protocol DownloadStore: ObjectStore {
    /// Streams a range of an object. There is no digest of a range, so it is **not** compared: only for clients that requested a range and
    /// verify it themselves, never for a result, a signature or a picture.
    /// - Parameter range: first and last byte, inclusive.
    /// - Throws: `.digestMismatch` if the object ends before it, `.notFound`.
    func range(_ range: ClosedRange<Int64>, of media: StoredMedia) async throws -> S3Body

    /// A presigned URL, with which anyone can read the object until it expires. Its digest is not compared.
    /// - Parameters:
    ///   - endpoint: the store's public address, if it differs.
    ///   - contentType: the `Content-Type` of the response, regardless of the stored one.
    func presignedGet(_ key: String, expires: Duration, at time: Date, endpoint: URL?, contentType: String?) -> String
}

/// An object's attributes in the store.
public struct StoredObject: Sendable, Equatable {
    public let key: String
    public let sizeBytes: Int64
    public let etag: String
    /// `nil` in listings.
    public let contentType: String?
    /// `nil` except in listings.
    public let lastModified: Date?

    public init(key: String, sizeBytes: Int64, etag: String, contentType: String?, lastModified: Date?) {
        self.key = key
        self.sizeBytes = sizeBytes
        self.etag = etag
        self.contentType = contentType
        self.lastModified = lastModified
    }
}

/// The uncompared bytes of a small object.
public struct FetchedObject: Sendable, Equatable {
    public let bytes: [UInt8]
    /// As in the store's answer, with its quotation marks.
    public let etag: String

    public init(bytes: [UInt8], etag: String) {
        self.bytes = bytes
        self.etag = etag
    }
}

/// One page of a listing; continue with `continuation` until it is `nil`.
public struct ObjectPage: Sendable {
    public let objects: [StoredObject]
    public let continuation: String?

    public init(objects: [StoredObject], continuation: String?) {
        self.objects = objects
        self.continuation = continuation
    }
}

/// A multipart upload that was neither completed nor aborted.
public struct UnfinishedUpload: Sendable, Equatable {
    public let key: String
    public let id: String

    public init(key: String, id: String) {
        self.key = key
        self.id = id
    }
}
