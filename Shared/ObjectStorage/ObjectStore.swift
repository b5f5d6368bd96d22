public import CaptureProtocol
public import Foundation
public import Models

/// What handlers and sweeps do with the objects of one bucket. Whoever reads through it gets only bytes that were compared with what was
/// accepted. All methods throw ``ObjectStorageError``.
public protocol ObjectStore: Sendable {
    /// Stores the bytes under the key, over what was there.
    /// - Parameter sha256: their digest where the caller has it, so that they are not hashed again.
    func put(_ key: String, bytes: [UInt8], contentType: String, sha256: [UInt8]?) async throws

    /// The whole object, once its size and SHA-256 are those that `media` says.
    /// - Throws: `.digestMismatch` for other bytes, `.notFound` for none, `.tooLarge` beyond ``S3Client/maximumObjectBytes``.
    func read(_ media: StoredMedia) async throws -> [UInt8]

    /// The whole object as it arrives; its last bytes come only after size and SHA-256 were found to be those that `media` says.
    ///
    /// Who uses bytes before the end must be able to take that back: an HTTP answer ends before its announced length.
    /// - Throws: as ``read(_:)``; while it is read too.
    func stream(_ media: StoredMedia) async throws -> ComparedBody

    /// SHA-256 of the objects' bytes one after the other, each compared.
    /// - Throws: as ``read(_:)``.
    func digest(ofAll objects: [StoredMedia]) async throws -> ContentDigest

    /// `nil` if there is no such object.
    func head(_ key: String) async throws -> StoredObject?

    /// Copies inside the store. What is copied is not looked at: who reads the copy compares it.
    func copy(from source: String, to destination: String) async throws

    /// Deletes the keys; those that are not there are no error.
    func delete(_ keys: [String]) async throws

    /// Keys with the prefix in order, a page of at most a thousand.
    /// - Parameter continuation: from the page before; `nil` for the first.
    func list(prefix: String, continuation: String?) async throws -> ObjectPage

    /// Uploads in parts that were begun under the prefix and neither finished nor ended, up to a thousand.
    func unfinishedUploads(under prefix: String) async throws -> [UnfinishedUpload]

    /// Ends an upload in parts and deletes its parts; one that is no more is no error.
    func end(_ upload: UnfinishedUpload) async throws
}

extension ObjectStore {
    /// Stores the bytes under the key, over what was there.
    public func put(_ key: String, bytes: [UInt8], contentType: String) async throws {
        try await put(key, bytes: bytes, contentType: contentType, sha256: nil)
    }

    /// The first page.
    public func list(prefix: String) async throws -> ObjectPage { try await list(prefix: prefix, continuation: nil) }
}

/// An object as the store knows it.
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

/// One page of a listing; ask again with `continuation` until it is `nil`.
public struct ObjectPage: Sendable {
    public let objects: [StoredObject]
    public let continuation: String?

    public init(objects: [StoredObject], continuation: String?) {
        self.objects = objects
        self.continuation = continuation
    }
}

/// An upload in parts that was begun and not finished.
public struct UnfinishedUpload: Sendable, Equatable {
    public let key: String
    public let id: String

    public init(key: String, id: String) {
        self.key = key
        self.id = id
    }
}
