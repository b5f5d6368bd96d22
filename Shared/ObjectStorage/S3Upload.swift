import AsyncHTTPClient
import NIOHTTP1
import Foundation
public import NIOCore
import NIOFoundationCompat

/// An object being written piece by piece, of any length, in about 5 MiB of memory.
///
/// Up to 5 MiB become one PUT. What is longer becomes a multipart upload with one part in flight, so that a slow store slows the
/// writer. ``abort()`` leaves nothing behind.
public actor S3Upload {
    /// The least that S3 takes for a part that is not the last.
    static let partBytes = 5 * 1024 * 1024
    /// S3 takes no more.
    static let maximumParts = 10_000
    private let client: S3Client
    private let key: String
    private let contentType: String
    private var pending = ByteBuffer()
    private var uploadID: String?
    private var etags: [String] = []
    private var sizeBytes: Int64 = 0
    private var isEnded = false
    /// The store was asked to begin and did not answer: it may hold an upload that nobody has the id of.
    private var isBeginUnknown = false

    init(client: S3Client, key: String, contentType: String) {
        self.client = client
        self.key = key
        self.contentType = contentType
    }

    /// Takes the bytes; returns when there is room for more.
    public func write(_ buffer: ByteBuffer) async throws {
        guard !isEnded else { throw ObjectStorageError(.rejected, "the upload has ended") }
        var buffer = buffer
        sizeBytes += Int64(buffer.readableBytes)
        while pending.readableBytes + buffer.readableBytes > Self.partBytes {
            if var piece = buffer.readSlice(length: Self.partBytes - pending.readableBytes) { pending.writeBuffer(&piece) }
            try await sendPart()
        }
        pending.writeBuffer(&buffer)
    }

    /// Completes the object.
    /// - Parameter sha256: of all that was written, where the caller has it: what fits one request is not hashed again.
    public func finish(sha256: [UInt8]? = nil) async throws -> StoredObject {
        guard !isEnded else { throw ObjectStorageError(.rejected, "the upload has ended") }
        guard let uploadID else {
            let stored = try await client.put(key, buffer: pending, contentType: contentType, sha256: sha256)
            isEnded = true
            pending = ByteBuffer()
            return stored
        }
        if pending.readableBytes > 0 { try await sendPart() }
        let parts = etags.enumerated().map { "<Part><PartNumber>\($0.offset + 1)</PartNumber><ETag>\($0.element)</ETag></Part>" }
        let body = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
        let response = try await client.send(
            S3Request(method: .POST, key: key, query: [("uploadId", uploadID)], body: ByteBuffer(string: body)))
        let answer = String(buffer: try await response.body.collect(upTo: S3Client.maximumAnswerBytes))
        // S3 may answer 200 first and fail in the body.
        if answer.contains("<Error>") { throw ObjectStorageError(.unavailable, "multipart upload not completed: \(key)") }
        isEnded = true
        return StoredObject(key: key, sizeBytes: sizeBytes, etag: "", contentType: contentType, lastModified: nil)
    }

    /// Ends the upload without an object. Does not throw: what a store that is down keeps of it, a sweep of its prefix ends
    /// (``S3Client/unfinishedUploads(under:)``).
    /// - Returns: false if the store may hold parts of it.
    @discardableResult
    public func abort() async -> Bool {
        guard !isEnded else { return true }
        isEnded = true
        pending = ByteBuffer()
        guard let uploadID else { return !isBeginUnknown }
        return (try? await client.end(UnfinishedUpload(key: key, id: uploadID))) != nil && !isBeginUnknown
    }

    private func sendPart() async throws {
        guard etags.count < Self.maximumParts else { throw ObjectStorageError(.tooLarge, key) }
        let id: String
        if let uploadID { id = uploadID } else { id = try await begin() }
        let response = try await client.send(
            S3Request(
                method: .PUT, key: key, query: [("partNumber", String(etags.count + 1)), ("uploadId", id)], body: pending))
        _ = try await response.body.collect(upTo: S3Client.maximumAnswerBytes)
        guard let etag = response.headers.first(name: "etag") else {
            throw ObjectStorageError(.invalidResponse, "a part was stored without an ETag")
        }
        etags.append(etag)
        pending = ByteBuffer()
    }

    private func begin() async throws -> String {
        let request = S3Request(method: .POST, key: key, query: [("uploads", "")], headers: [("content-type", contentType)])
        var backoff = RetryDelay()
        while true {
            let wasUnknown = isBeginUnknown
            isBeginUnknown = true
            do {
                let response = try await client.send(request, isRepeatable: false)
                let id = try S3XML.uploadID(Data(buffer: try await response.body.collect(upTo: S3Client.maximumAnswerBytes)))
                uploadID = id
                isBeginUnknown = wasUnknown
                return id
            } catch let error as ObjectStorageError where error.isUnreachable {
                guard try await backoff.wait() else { throw error }
            }
        }
    }
}
