import AsyncHTTPClient
import CaptureProtocol
import Foundation
import Models
import NIOCore
import NIOHTTP1
import Observability
import TestSupport
import Testing

@testable import ObjectStorage

@Suite("S3 client, against a real store", .enabled(if: TestBucket.isConfigured, "RIAL_TEST_S3_ENDPOINT names no store"))
struct S3ClientTests {
    private func client(_ bucket: String = "rial-tests", secret: String? = nil, endpoint: String? = nil) throws -> S3Client {
        TestBucket.client(try TestBucket.configuration(bucket, endpoint: endpoint, secret: secret))
    }

    private func ready() async throws -> (client: S3Client, prefix: String) {
        let client = try client()
        try await client.createBucketIfMissing()
        return (client, "test/\(UUID().uuidString)/")
    }

    private func media(_ key: String, _ bytes: [UInt8]) -> StoredMedia {
        StoredMedia(key: key, sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count), contentType: "image/jpeg")
    }

    @Test("gets an object in part")
    func range() async throws {
        let (client, prefix) = try await ready()
        let bytes = pattern(10_000)
        let key = prefix + "a b+ü.bin"
        try await client.put(key, bytes: bytes, contentType: "application/x-test")
        #expect(try await client.getBytes(key, limit: 10_000) == bytes)
        var part: [UInt8] = []
        for try await chunk in try await client.range(5...9, of: media(key, bytes)) { part += chunk.readableBytesView }
        #expect(part == Array(bytes[5...9]))
        #expect(await storageError { _ = try await client.range(10_000...10_001, of: media(key, bytes)) } == .digestMismatch)
        try await client.delete([key])
        #expect(await storageError { _ = try await client.getBytes(key, limit: 10) } == .notFound)
    }

    @Test("streams objects of any length", arguments: [0, 1, 5 << 20, (5 << 20) + 1, 12 << 20])
    func streams(size: Int) async throws {
        let (client, prefix) = try await ready()
        let upload = client.putStream(prefix + "stream", contentType: "image/jpeg", expecting: size)
        let sent = pattern(size)
        for start in stride(from: 0, to: size, by: 70_001) {
            try await upload.write(ByteBuffer(bytes: sent[start..<min(start + 70_001, size)]))
        }
        #expect(try await upload.finish().sizeBytes == Int64(size))
        let bytes = try await client.getBytes(prefix + "stream", limit: size)
        #expect(bytes == sent)
        let read = try await client.read(media(prefix + "stream", sent))
        #expect(read == sent)
        try await client.delete([prefix + "stream"])
    }

    @Test("counts the bytes of objects that it sends and receives, those of an upload in parts too")
    func traffic() async throws {
        let metrics = MetricsRegistry()
        let client = TestBucket.client(try TestBucket.configuration("rial-tests"), metrics: metrics)
        try await client.createBucketIfMissing()
        let key = "test/\(UUID().uuidString)/"
        let bytes = [UInt8](repeating: 7, count: 6 << 20)
        try await client.put(key + "a", bytes: Array(bytes.prefix(1000)), contentType: "image/jpeg")
        #expect(metrics.counted("sent") == 1000 && metrics.counted("received") == 0)
        _ = try await client.read(media(key + "a", Array(bytes.prefix(1000))))
        #expect(metrics.counted("sent") == 1000 && metrics.counted("received") == 1000)
        let upload = client.putStream(key + "b", contentType: "image/jpeg")
        try await upload.write(ByteBuffer(bytes: bytes))
        _ = try await upload.finish()
        // Includes the list of the parts, which is sent as well.
        #expect((bytes.count + 1000..<bytes.count + 2000).contains(try #require(metrics.counted("sent"))))
        for try await _ in try await client.range(0...99, of: media(key + "b", bytes)) {}
        #expect(metrics.counted("received") == 1100)
        try await client.delete([key + "a", key + "b"])
    }

    @Test("leaves nothing of an upload that was aborted, and takes no more for it")
    func abort() async throws {
        let (client, prefix) = try await ready()
        let upload = client.putStream(prefix + "aborted", contentType: "image/jpeg")
        try await upload.write(ByteBuffer(repeating: 1, count: 6 << 20))
        await upload.abort()
        #expect(try await client.head(prefix + "aborted") == nil)
        await #expect(throws: ObjectStorageError.self) { try await upload.write(ByteBuffer(bytes: [1])) }
    }

    @Test("refuses to hold more than it was told to")
    func limit() async throws {
        let (client, prefix) = try await ready()
        try await client.put(prefix + "large", bytes: [UInt8](repeating: 1, count: 100), contentType: "text/plain")
        #expect(await storageError { _ = try await client.getBytes(prefix + "large", limit: 99) } == .tooLarge)
    }

    @Test("tells a missing object from a missing bucket, also where the answer has no body")
    func missing() async throws {
        let (client, prefix) = try await ready()
        #expect(try await client.head(prefix + "none") == nil)
        let nowhere = try self.client("rial-tests-\(UUID().uuidString.lowercased())")
        #expect(await storageError { _ = try await nowhere.head("none") } == .noSuchBucket)
        #expect(await storageError { _ = try await nowhere.read(media("none", [1])) } == .noSuchBucket)
        #expect(await storageError { try await nowhere.checkBucket() } == .noSuchBucket)
    }

    @Test("makes links that anyone can follow, and that a changed letter breaks")
    func presigned() async throws {
        let (client, prefix) = try await ready()
        try await client.put(prefix + "linked", bytes: [1, 2, 3], contentType: "text/plain")
        let link = client.presignedGet(prefix + "linked", expires: .seconds(60), at: Date())
        let answer = try await HTTPClient.shared.execute(HTTPClientRequest(url: link), timeout: .seconds(10))
        #expect(answer.status == .ok)
        #expect(try await answer.body.collect(upTo: 10) == ByteBuffer(bytes: [1, 2, 3]))
        let broken = String(link.dropLast()) + (link.hasSuffix("0") ? "1" : "0")
        #expect(try await HTTPClient.shared.execute(HTTPClientRequest(url: broken), timeout: .seconds(10)).status == .forbidden)
    }

    @Test("makes links whose answers have the type that the link says, which nobody can change")
    func presignedType() async throws {
        let (client, prefix) = try await ready()
        try await client.put(prefix + "page", bytes: Array("<script>".utf8), contentType: "text/html")
        let link = client.presignedGet(prefix + "page", expires: .seconds(60), at: Date(), contentType: "image/jpeg")
        let answer = try await HTTPClient.shared.execute(HTTPClientRequest(url: link), timeout: .seconds(10))
        #expect(answer.status == .ok && answer.headers.first(name: "content-type") == "image/jpeg")
        let changed = link.replacing("image%2Fjpeg", with: "text%2Fhtml")
        #expect(changed != link)
        #expect(try await HTTPClient.shared.execute(HTTPClientRequest(url: changed), timeout: .seconds(10)).status == .forbidden)
    }

    @Test("a store that refuses us or is away may come back; only the latter is asked again at once")
    func failures() async throws {
        _ = try await ready()
        let wrong = try client(secret: "wrong")
        await #expect { try await wrong.checkBucket() } throws: { error in
            let error = error as? ObjectStorageError
            return error?.code == .accessDenied && error?.isTransient == true && error?.isUnreachable == false
        }
        var configuration = try TestBucket.configuration("rial-tests", endpoint: "http://127.0.0.1:1")
        configuration.requestTimeout = .seconds(1)
        let away = TestBucket.client(configuration)
        await #expect { try await away.checkBucket() } throws: { error in
            (error as? ObjectStorageError)?.isTransient == true && (error as? ObjectStorageError)?.isUnreachable == true
        }
    }
}

extension MetricsRegistry {
    /// The bytes in this direction; `nil` if they are not counted.
    fileprivate func counted(_ direction: String) -> Int? {
        let name = "rial_storage_bytes_total{direction=\"\(direction)\"} "
        return exposition().split(separator: "\n").first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) }
    }
}
