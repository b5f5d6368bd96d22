public import CaptureProtocol
public import Foundation
public import Models
public import NIOCore
public import ObjectStorage
import Synchronization

/// An object store in memory. Tests can inspect its objects, store what no client could, and make it fail.
public final class MemoryObjectStore: DownloadStore {
    /// A request to the store: the operation, and its key or prefix.
    public struct Request: Sendable, Equatable {
        public enum Verb: Sendable { case put, get, head, copy, delete, list, end }
        public let verb: Verb
        public let key: String

        public init(_ verb: Verb, _ key: String) {
            self.verb = verb
            self.key = key
        }
    }

    private struct Entry {
        var bytes: [UInt8]
        var contentType: String
        var lastModified: Date
        var etag: String
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var uploads: [UnfinishedUpload] = []
        var requests: [Request] = []
        var etags = 0
        var refusal: @Sendable (Request) -> ObjectStorageError.Code? = { _ in nil }
        var isLost: @Sendable (Request) -> Bool = { _ in false }
        var pieceBytes = Int.max

        mutating func begin(_ key: String) -> UnfinishedUpload {
            etags += 1
            let upload = UnfinishedUpload(key: key, id: "\(etags)-\(key)")
            uploads.append(upload)
            return upload
        }

        mutating func put(_ key: String, _ bytes: [UInt8], _ contentType: String, at time: Date) -> String {
            etags += 1
            entries[key] = Entry(bytes: bytes, contentType: contentType, lastModified: time, etag: "\"\(etags)\"")
            return "\"\(etags)\""
        }

        func entry(_ key: String) throws -> Entry {
            guard let entry = entries[key] else { throw ObjectStorageError(.notFound, key) }
            return entry
        }
    }

    private let state = Mutex(State())
    private let pageSize: Int
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - pageSize: the number of keys in a page of a listing.
    ///   - now: the modification time of an object that is put.
    public init(pageSize: Int = 1000, now: @escaping @Sendable () -> Date = { Date() }) {
        self.pageSize = pageSize
        self.now = now
    }

    public var keys: Set<String> { state.withLock { Set($0.entries.keys) } }
    public var requests: [Request] { state.withLock { $0.requests } }
    public func bytes(_ key: String) -> [UInt8]? { state.withLock { $0.entries[key]?.bytes } }

    /// All objects as they are, to set the store back to this moment later.
    public var snapshot: [String: [UInt8]] { state.withLock { $0.entries.mapValues(\.bytes) } }

    /// Sets the store back.
    public func restore(_ snapshot: [String: [UInt8]]) {
        state.withLock { state in
            state.entries = [:]
            for (key, bytes) in snapshot { _ = state.put(key, bytes, "application/octet-stream", at: now()) }
        }
    }

    /// Leaves an unfinished multipart upload.
    public func leaveUnfinished(_ key: String) {
        state.withLock { _ = $0.begin(key) }
    }

    /// From now on fails the requests for which the closure returns an error.
    public func refuse(_ refusal: @escaping @Sendable (Request) -> ObjectStorageError.Code?) {
        state.withLock { $0.refusal = refusal }
    }

    /// From now on does what is asked without an answer, where the closure says so.
    public func loseAnswers(to isLost: @escaping @Sendable (Request) -> Bool) { state.withLock { $0.isLost = isLost } }

    /// From now on gives objects in pieces of this size.
    public func stream(inPiecesOf bytes: Int) { state.withLock { $0.pieceBytes = bytes } }

    /// Changes a byte of an object that is there, as a store does that forgets.
    public func damage(_ key: String, at index: Int) { state.withLock { $0.entries[key]?.bytes[index] ^= 1 } }

    public func put(_ key: String, bytes: [UInt8], contentType: String, sha256: [UInt8]?) async throws {
        try store(key, bytes, contentType, sha256)
    }

    func store(_ key: String, _ bytes: [UInt8], _ contentType: String, _ sha256: [UInt8]?) throws {
        try answer(.put, key) { state in
            // S3's XAmzContentSHA256Mismatch.
            guard sha256 == nil || sha256 == ContentDigest(of: bytes).bytes else {
                throw ObjectStorageError(.rejected, "\(key) has another SHA-256 than was told")
            }
            _ = state.put(key, bytes, contentType, at: now())
        }
    }

    public func putAnswered(_ key: String, buffer: ByteBuffer, contentType: String) async throws -> Bool {
        try await put(key, bytes: Array(buffer.readableBytesView), contentType: contentType, sha256: nil)
        return true
    }

    public func putIfAbsent(_ key: String, bytes: [UInt8], contentType: String) async throws -> String? {
        try answer(.put, key) { $0.entries[key] == nil ? $0.put(key, bytes, contentType, at: now()) : nil }
    }

    public func replace(_ key: String, etag: String, bytes: [UInt8], contentType: String) async throws -> String? {
        try answer(.put, key) { $0.entries[key]?.etag == etag ? $0.put(key, bytes, contentType, at: now()) : nil }
    }

    public func fetch(_ key: String, limit: Int) async throws -> FetchedObject? {
        let entry = try answer(.get, key) { $0.entries[key] }
        guard entry?.bytes.count ?? 0 <= limit else { throw ObjectStorageError(.tooLarge, key) }
        return entry.map { FetchedObject(bytes: $0.bytes, etag: $0.etag) }
    }

    public func put(_ media: StoredMedia, reading read: @Sendable (Range<Int64>) throws -> [UInt8]) async throws {
        var bytes: [UInt8] = []
        while Int64(bytes.count) < media.sizeBytes {
            let position = Int64(bytes.count)
            let range = position..<min(position + (1 << 20), media.sizeBytes)
            let piece = try read(range)
            guard piece.count == range.count else { throw ObjectStorageError(.rejected, "the source of \(media.key) ends early") }
            bytes += piece
        }
        try await put(media.key, bytes: bytes, contentType: media.contentType, sha256: media.sha256.bytes)
    }

    public func putStream(_ key: String, contentType: String, expecting: Int?) -> MemoryObjectUpload {
        MemoryObjectUpload(in: self, key: key, contentType: contentType)
    }

    /// Begins an upload in parts.
    func begin(_ key: String) throws -> UnfinishedUpload { try answer(.put, key) { $0.begin(key) } }

    /// Makes an object of an upload in parts.
    func complete(_ upload: UnfinishedUpload, _ bytes: [UInt8], _ contentType: String) throws {
        try answer(.put, upload.key) { state in
            state.uploads.removeAll { $0 == upload }
            _ = state.put(upload.key, bytes, contentType, at: now())
        }
    }

    public func read(_ media: StoredMedia) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in try await stream(media) { bytes += chunk.readableBytesView }
        return bytes
    }

    public func piece(_ range: Range<Int64>, of media: StoredMedia) async throws -> [UInt8] {
        guard !range.isEmpty, range.count <= S3Client.maximumPieceBytes else { throw ObjectStorageError(.tooLarge, media.key) }
        let bytes = try answer(.get, media.key) { try $0.entry(media.key).bytes }
        guard range.upperBound <= bytes.count else { throw ObjectStorageError(.digestMismatch, media.key) }
        return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    public func piece(_ key: String, sizeBytes: Int64) async throws -> ByteBuffer {
        guard (0...S3Client.maximumObjectBytes).contains(sizeBytes) else { throw ObjectStorageError(.tooLarge, key) }
        let bytes = try answer(.get, key) { try $0.entry(key).bytes }
        guard bytes.count <= sizeBytes else { throw ObjectStorageError(.tooLarge, key) }
        guard bytes.count == sizeBytes else { throw ObjectStorageError(.digestMismatch, key) }
        return ByteBuffer(bytes: bytes)
    }

    public func range(_ range: ClosedRange<Int64>, of media: StoredMedia) async throws -> S3Body {
        let bytes = try answer(.get, media.key) { try $0.entry(media.key).bytes }
        guard range.lowerBound < bytes.count else { throw ObjectStorageError(.digestMismatch, media.key) }
        return S3Body([ByteBuffer(bytes: bytes[Int(range.lowerBound)..<min(Int(range.upperBound) + 1, bytes.count)])])
    }

    public func presignedGet(_ key: String, expires: Duration, at time: Date, endpoint: URL?, contentType: String?) -> String {
        "\(endpoint?.absoluteString ?? "memory:")/\(key)"
    }

    public func stream(_ media: StoredMedia) async throws -> ComparedBody {
        guard media.sizeBytes <= S3Client.maximumObjectBytes else { throw ObjectStorageError(.tooLarge, media.key) }
        let bytes = try answer(.get, media.key) { try $0.entry(media.key).bytes }
        var (rest, pieces) = (ByteBuffer(bytes: bytes), [ByteBuffer]())
        let pieceBytes = state.withLock { $0.pieceBytes }
        while let piece = rest.readSlice(length: min(rest.readableBytes, pieceBytes)), piece.readableBytes > 0 { pieces.append(piece) }
        return try ComparedBody(S3Body(pieces), sizeBytes: Int64(bytes.count), media: media)
    }

    public func digest(ofAll objects: [StoredMedia]) async throws -> ContentDigest {
        var bytes: [UInt8] = []
        for media in objects { bytes += try await read(media) }
        return ContentDigest(of: bytes)
    }

    public func head(_ key: String) async throws -> StoredObject? {
        try answer(.head, key) { state in
            state.entries[key].map { entry in
                StoredObject(
                    key: key, sizeBytes: Int64(entry.bytes.count), etag: entry.etag, contentType: entry.contentType, lastModified: nil)
            }
        }
    }

    public func copy(from source: String, to destination: String) async throws {
        try answer(.copy, source) { state in
            var entry = try state.entry(source)
            entry.lastModified = now()
            state.etags += 1
            entry.etag = "\"\(state.etags)\""
            state.entries[destination] = entry
        }
    }

    public func delete(_ keys: [String]) async throws {
        for key in keys { try answer(.delete, key) { $0.entries[key] = nil } }
    }

    public func list(prefix: String, continuation: String?) async throws -> ObjectPage {
        try answer(.list, prefix) { state in
            let rest = state.entries.filter { $0.key.hasPrefix(prefix) && $0.key > continuation ?? "" }.sorted { $0.key < $1.key }
            let page = rest.prefix(pageSize).map { key, entry in
                StoredObject(
                    key: key, sizeBytes: Int64(entry.bytes.count), etag: entry.etag, contentType: nil, lastModified: entry.lastModified)
            }
            return ObjectPage(objects: page, continuation: rest.count > pageSize ? page.last?.key : nil)
        }
    }

    public func unfinishedUploads(under prefix: String) async throws -> [UnfinishedUpload] {
        try answer(.list, prefix) { state in state.uploads.filter { $0.key.hasPrefix(prefix) } }
    }

    public func end(_ upload: UnfinishedUpload) async throws {
        try answer(.end, upload.key) { state in state.uploads.removeAll { $0 == upload } }
    }

    private func answer<Result>(_ verb: Request.Verb, _ key: String, _ body: (inout State) throws -> Result) throws -> Result {
        let request = Request(verb, key)
        let (refusal, isLost) = state.withLock { state in
            state.requests.append(request)
            return (state.refusal, state.isLost)
        }
        if let code = refusal(request) { throw ObjectStorageError(code, "\(verb) \(key)") }
        let result = try state.withLock { try body(&$0) }
        if isLost(request) { throw ObjectStorageError(.unavailable, "\(verb) \(key) not answered") }
        return result
    }
}
