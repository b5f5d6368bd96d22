import AsyncHTTPClient
import Foundation
public import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// Streams an object of unknown length to the store, with about 5 MiB of memory.
///
/// Up to 5 MiB are one PUT. Longer objects are a multipart upload with one part in flight, so a slow store slows the writer (backpressure).
/// ``abort()`` leaves no objects behind.
public actor S3Upload: ObjectUpload {
    /// The minimum size that S3 allows for all parts but the last.
    static let partBytes = 5 * 1024 * 1024
    /// S3's limit.
    static let maximumParts = 10_000
    private let client: S3Client
    private let key: String
    private let contentType: String
    /// `nil` if nothing was announced.
    private let expectedBytes: Int?
    private var pending = ByteBuffer()
    private var uploadID: String?
    private var etags: [String] = []
    private var sizeBytes: Int64 = 0
    private var isEnded = false
    /// Whether a request to begin got no response: the store may then have an upload whose id is unknown.
    private var isBeginUnknown = false
    public private(set) var isUnanswered = false

    /// - Parameter expecting: about how many bytes come, if that was announced.
    init(client: S3Client, key: String, contentType: String, expecting: Int?) {
        self.client = client
        self.key = key
        self.contentType = contentType
        expectedBytes = expecting
    }

    public func write(_ bytes: ByteBuffer) async throws {
        try count(bytes.readableBytes)
        var rest = bytes
        while rest.readableBytes > room, let piece = rest.readSlice(length: room) {
            pending.writeImmutableBuffer(piece)
            try await sendPart()
        }
        pending.writeImmutableBuffer(rest)
    }

    /// How many bytes the part in hand still takes.
    private var room: Int { Self.partBytes - pending.readableBytes }

    /// Counts the next bytes, which are still to be appended.
    private func count(_ bytes: Int) throws {
        guard !isEnded else { throw ObjectStorageError(.rejected, "the upload has ended") }
        // Only with the first bytes, and never more than a part: a client may announce anything.
        if sizeBytes == 0, bytes > 0, let expectedBytes { pending.reserveCapacity(min(expectedBytes, Self.partBytes)) }
        sizeBytes += Int64(bytes)
    }

    public func finish(sha256: [UInt8]? = nil) async throws -> StoredObject {
        guard !isEnded else { throw ObjectStorageError(.rejected, "the upload has ended") }
        guard let uploadID else {
            let response = try await store(.put(key, body: pending, contentType: contentType, sha256: sha256))
            try await response.answer()
            isEnded = true
            pending = ByteBuffer()
            return StoredObject(
                key: key, sizeBytes: sizeBytes, etag: response.headers.first(name: "etag") ?? "", contentType: contentType,
                lastModified: nil)
        }
        if pending.readableBytes > 0 { try await sendPart() }
        let parts = etags.enumerated().map { "<Part><PartNumber>\($0.offset + 1)</PartNumber><ETag>\($0.element)</ETag></Part>" }
        let body = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
        let response = try await store(
            S3Request(method: .POST, key: key, query: [("uploadId", uploadID)], body: ByteBuffer(string: body)))
        let answer: String
        do {
            answer = String(buffer: try await response.answer())
        } catch {
            isUnanswered = true
            throw error
        }
        // S3 may respond with 200 and report the error in the body.
        if answer.contains("<Error>") { throw ObjectStorageError(.unavailable, "multipart upload not completed: \(key)") }
        isEnded = true
        pending = ByteBuffer()
        return StoredObject(key: key, sizeBytes: sizeBytes, etag: "", contentType: contentType, lastModified: nil)
    }

    @discardableResult
    public func abort() async -> Bool {
        let isKnown = !isBeginUnknown && !isUnanswered
        guard !isEnded else { return isKnown }
        isEnded = true
        pending = ByteBuffer()
        guard let uploadID else { return isKnown }
        return (try? await client.end(UnfinishedUpload(key: key, id: uploadID))) != nil && isKnown
    }

    private func sendPart() async throws {
        guard etags.count < Self.maximumParts else { throw ObjectStorageError(.tooLarge, key) }
        let id: String
        if let uploadID { id = uploadID } else { id = try await begin() }
        let response = try await store(
            S3Request(
                method: .PUT, key: key, query: [("partNumber", String(etags.count + 1)), ("uploadId", id)], body: pending))
        try await response.answer()
        guard let etag = response.headers.first(name: "etag") else {
            throw ObjectStorageError(.invalidResponse, "a part was stored without an ETag")
        }
        etags.append(etag)
        // The capacity stays: the next part is as large.
        pending.clear()
    }

    /// Sends a request that stores something; retries while the store is unavailable.
    private func store(_ request: S3Request) async throws -> HTTPClientResponse {
        try await client.send(request) { isUnanswered = true }
    }

    private func begin() async throws -> String {
        let request = S3Request(method: .POST, key: key, query: [("uploads", "")], headers: [("content-type", contentType)])
        return try await client.retrying {
            let wasUnknown = isBeginUnknown
            isBeginUnknown = true
            let response = try await client.sendOnce(request)
            let id = try S3XML.uploadID(Data(buffer: try await response.answer()))
            uploadID = id
            isBeginUnknown = wasUnknown
            return id
        }
    }
}
