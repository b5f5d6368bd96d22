import AsyncHTTPClient
public import CaptureProtocol
import Crypto
import Foundation
public import Models
public import NIOCore
import NIOHTTP1

/// The only methods by which other modules read objects: all but ``range(_:of:)``, ``piece(_:sizeBytes:)`` and ``fetch(_:limit:)``
/// compare the bytes with the accepted digest.
extension S3Client {
    /// The largest object that the system stores.
    public static let maximumObjectBytes: Int64 = 128 * 1024 * 1024

    public func read(_ media: StoredMedia) async throws -> [UInt8] {
        guard (0...Self.maximumObjectBytes).contains(media.sizeBytes) else { throw ObjectStorageError(.tooLarge, media.key) }
        let body = try await retrying { try await receive(media.key, sizeBytes: Int(media.sizeBytes)) }
        guard body.bytes.count == media.sizeBytes, body.digest == media.sha256 else {
            throw ObjectStorageError(.digestMismatch, media.key)
        }
        return body.bytes
    }

    public func stream(_ media: StoredMedia) async throws -> ComparedBody {
        guard (0...Self.maximumObjectBytes).contains(media.sizeBytes) else { throw ObjectStorageError(.tooLarge, media.key) }
        let object = try await get(media.key)
        return try ComparedBody(object.body, sizeBytes: object.sizeBytes, media: media)
    }

    public func range(_ range: ClosedRange<Int64>, of media: StoredMedia) async throws -> S3Body {
        try await part(range, of: media)
    }

    /// The most bytes that ``piece(_:of:)`` reads.
    public static let maximumPieceBytes = 8 << 20

    public func piece(_ range: Range<Int64>, of media: StoredMedia) async throws -> [UInt8] {
        guard !range.isEmpty, range.count <= Self.maximumPieceBytes else { throw ObjectStorageError(.tooLarge, media.key) }
        return try await retrying {
            var bytes: [UInt8] = []
            for try await chunk in try await part(range.lowerBound...range.upperBound - 1, of: media) {
                guard bytes.count + chunk.readableBytes <= range.count else { throw ObjectStorageError(.tooLarge, media.key) }
                bytes.append(contentsOf: chunk.readableBytesView)
            }
            guard bytes.count == range.count else { throw ObjectStorageError(.digestMismatch, media.key) }
            return bytes
        }
    }

    /// Streams a range of the accepted object.
    /// - Throws: ``ObjectStorageError`` with `.digestMismatch` if the object ends before it.
    private func part(_ range: ClosedRange<Int64>, of media: StoredMedia) async throws -> S3Body {
        do {
            return try await get(media.key, range: range).body
        } catch let error as ObjectStorageError where error.code == .rangeNotSatisfiable {
            throw ObjectStorageError(.digestMismatch, error.message)
        }
    }

    public func digest(ofAll objects: [StoredMedia]) async throws -> ContentDigest {
        try await retrying {
            var hasher = SHA256()
            for (index, media) in objects.enumerated() {
                if index == 0 {
                    // At this point the hasher covers this object only, so its digest can be compared.
                    let object = try await get(media.key)
                    for try await chunk in object.body { chunk.withUnsafeReadableBytes { hasher.update(bufferPointer: $0) } }
                    guard ContentDigest(hasher.finalize()) == media.sha256 else {
                        throw ObjectStorageError(.digestMismatch, media.key)
                    }
                } else {
                    for try await chunk in try await stream(media) {
                        chunk.withUnsafeReadableBytes { hasher.update(bufferPointer: $0) }
                    }
                }
            }
            return ContentDigest(hasher.finalize())
        }
    }

    /// Streams an object's bytes without comparing digests.
    /// - Parameter range: first and last byte, inclusive.
    /// - Throws: ``ObjectStorageError`` with `.notFound` if there is no such object.
    func get(_ key: String, range: ClosedRange<Int64>? = nil) async throws -> S3Object {
        var request = S3Request(method: .GET, key: key)
        if let range { request.headers = [("range", "bytes=\(range.lowerBound)-\(range.upperBound)")] }
        let response = try await send(request)
        return S3Object(
            sizeBytes: response.headers.first(name: "content-length").flatMap { Int64($0) },
            etag: response.headers.first(name: "etag") ?? "",
            contentType: response.headers.first(name: "content-type") ?? "application/octet-stream",
            body: S3Body(body: response.body, received: traffic.received))
    }

    public func piece(_ key: String, sizeBytes: Int64) async throws -> ByteBuffer {
        guard (0...Self.maximumObjectBytes).contains(sizeBytes) else { throw ObjectStorageError(.tooLarge, key) }
        return try await retrying {
            var piece = ByteBufferAllocator().buffer(capacity: Int(sizeBytes))
            for try await chunk in try await get(key).body {
                guard Int64(piece.readableBytes + chunk.readableBytes) <= sizeBytes else { throw ObjectStorageError(.tooLarge, key) }
                piece.writeImmutableBuffer(chunk)
            }
            guard Int64(piece.readableBytes) == sizeBytes else { throw ObjectStorageError(.digestMismatch, key) }
            return piece
        }
    }

    /// Reads the whole object without comparing digests, see ``fetch(_:limit:)``.
    /// - Throws: `.tooLarge` beyond `limit` bytes, `.notFound`.
    func getObject(_ key: String, limit: Int) async throws -> FetchedObject {
        try await retrying {
            let object = try await get(key)
            var bytes: [UInt8] = []
            for try await chunk in object.body {
                guard bytes.count + chunk.readableBytes <= limit else { throw ObjectStorageError(.tooLarge, key) }
                bytes.append(contentsOf: chunk.readableBytesView)
            }
            guard object.sizeBytes == nil || Int64(bytes.count) == object.sizeBytes else {
                throw ObjectStorageError(.unavailable, "answer cut short: \(key)")
            }
            return FetchedObject(bytes: bytes, etag: object.etag)
        }
    }
}
