import AsyncHTTPClient
import CaptureProtocol
import Crypto
import Foundation
import Logging
import Models
import NIOCore
import Testing

@testable import ObjectStorage

private let environment = ProcessInfo.processInfo.environment
/// Crypto has a protocol of this name.
@Suite(
    "S3 client, against a real store",
    .enabled(if: environment["RIAL_TEST_S3_ENDPOINT"] != nil, "RIAL_TEST_S3_ENDPOINT names no store"))
struct S3ClientTests {
    private func client(secret: String? = nil, endpoint: String? = nil, bucket: String = "rial-tests") async throws -> S3Client {
        let configuration = S3Configuration(
            endpoint: try #require(URL(string: endpoint ?? environment["RIAL_TEST_S3_ENDPOINT"] ?? "")), region: "us-east-1",
            bucket: bucket, accessKeyID: environment["RIAL_TEST_S3_ACCESS_KEY_ID"] ?? "",
            secretAccessKey: secret ?? environment["RIAL_TEST_S3_SECRET_ACCESS_KEY"] ?? "")
        return S3Client(configuration: configuration, httpClient: .shared, logger: Logger(label: "tests"))
    }

    private func ready() async throws -> (client: S3Client, prefix: String) {
        let client = try await client()
        try await client.createBucketIfMissing()
        return (client, "test/\(UUID().uuidString)/")
    }

    @Test("puts, heads, gets whole and in part, copies, lists and deletes")
    func objects() async throws {
        let (client, prefix) = try await ready()
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let key = prefix + "a b+ü.bin"
        try await client.put(key, bytes: bytes, contentType: "application/x-test")
        let head = try #require(try await client.head(key))
        #expect(head.sizeBytes == 10_000 && head.contentType == "application/x-test")
        #expect(try await client.getBytes(key, limit: 10_000) == bytes)
        var part: [UInt8] = []
        for try await chunk in try await client.range(5...9, of: media(key, bytes)) { part += chunk.readableBytesView }
        #expect(part == Array(bytes[5...9]))
        try await client.copy(from: key, to: prefix + "copy")
        #expect(try await client.getBytes(prefix + "copy", limit: 10_000) == bytes)
        let page = try await client.list(prefix: prefix)
        #expect(Set(page.objects.map(\.key)) == [key, prefix + "copy"] && page.continuation == nil)
        #expect(page.objects.allSatisfy { $0.sizeBytes == 10_000 && $0.lastModified != nil })
        try await client.delete([key, prefix + "copy", prefix + "never"])
        #expect(try await client.head(key) == nil)
        await #expect { try await client.getBytes(key, limit: 10) } throws: { ($0 as? ObjectStorageError)?.code == .notFound }
    }

    @Test("streams objects of any length", arguments: [0, 1, 5 << 20, (5 << 20) + 1, 12 << 20])
    func streams(size: Int) async throws {
        let (client, prefix) = try await ready()
        let upload = client.putStream(prefix + "stream", contentType: "image/jpeg")
        var sent = 0
        while sent < size {
            let count = min(70_001, size - sent)
            try await upload.write(ByteBuffer(bytes: (sent..<sent + count).map { UInt8(truncatingIfNeeded: $0) }))
            sent += count
        }
        #expect(try await upload.finish().sizeBytes == Int64(size))
        let bytes = try await client.getBytes(prefix + "stream", limit: size)
        #expect(bytes.count == size && bytes.indices.allSatisfy { bytes[$0] == UInt8(truncatingIfNeeded: $0) })
        try await client.delete([prefix + "stream"])
    }

    @Test("leaves nothing of an upload that was aborted, and takes no more for it")
    func abort() async throws {
        let (client, prefix) = try await ready()
        let upload = client.putStream(prefix + "aborted", contentType: "image/jpeg")
        try await upload.write(ByteBuffer(repeating: 1, count: 6 << 20))
        await upload.abort()
        #expect(try await client.head(prefix + "aborted") == nil)
        await #expect(throws: ObjectStorageError.self) { try await upload.write(ByteBuffer(repeating: 1, count: 1)) }
    }

    @Test("refuses to hold more than it was told to")
    func limit() async throws {
        let (client, prefix) = try await ready()
        try await client.put(prefix + "large", bytes: [UInt8](repeating: 1, count: 100), contentType: "text/plain")
        await #expect { try await client.getBytes(prefix + "large", limit: 99) } throws: { ($0 as? ObjectStorageError)?.code == .tooLarge }
    }

    private func media(_ key: String, _ bytes: [UInt8], sizeBytes: Int? = nil) throws -> StoredMedia {
        StoredMedia(
            key: key, sha256: ContentDigest(of: bytes), sizeBytes: Int64(sizeBytes ?? bytes.count),
            contentType: "image/jpeg")
    }

    private func code(_ body: () async throws -> Void) async -> ObjectStorageError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? ObjectStorageError)?.code
        }
    }

    @Test("gives the bytes that were accepted, of any length", arguments: [0, 1, 100_000, 6 << 20])
    func compared(size: Int) async throws {
        let (client, prefix) = try await ready()
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let object = try media(prefix + "photo", bytes)
        let upload = client.putStream(object.key, contentType: "image/jpeg")
        try await upload.write(ByteBuffer(bytes: bytes))
        _ = try await upload.finish()
        #expect(try await client.read(object) == bytes)
        #expect(try await client.digest(ofAll: [object]) == object.sha256)
        #expect(try await client.digest(ofAll: [object, object]).bytes == Array(SHA256.hash(data: bytes + bytes)))
        try await client.delete([object.key])
        #expect(await code { _ = try await client.read(object) } == .notFound)
    }

    @Test("gives none of an object that was swapped, whatever its length", arguments: [99_999, 100_000, 100_001])
    func swapped(size: Int) async throws {
        let (client, prefix) = try await ready()
        let accepted = try media(prefix + "photo", [UInt8](repeating: 1, count: 100_000))
        try await client.put(accepted.key, bytes: [UInt8](repeating: 2, count: size), contentType: "image/jpeg")
        #expect(await code { _ = try await client.read(accepted) } == .digestMismatch)
        #expect(await code { _ = try await client.digest(ofAll: [accepted]) } == .digestMismatch)
        // A stream may have given some away, but never the end.
        var given = 0
        let mismatch = await code { for try await chunk in try await client.stream(accepted) { given += chunk.readableBytes } }
        #expect(mismatch == .digestMismatch && given < 100_000)
        let wrongSize = try media(prefix + "photo", [UInt8](repeating: 2, count: size), sizeBytes: size + 1)
        #expect(await code { _ = try await client.read(wrongSize) } == .digestMismatch)
    }

    @Test("tells a missing object from a missing bucket, also where the answer has no body")
    func missing() async throws {
        let (client, prefix) = try await ready()
        #expect(try await client.head(prefix + "none") == nil)
        let nowhere = try await self.client(bucket: "rial-tests-\(UUID().uuidString.lowercased())")
        let object = try media("none", [1])
        #expect(await code { _ = try await nowhere.head("none") } == .noSuchBucket)
        #expect(await code { _ = try await nowhere.read(object) } == .noSuchBucket)
        #expect(await code { try await nowhere.checkBucket() } == .noSuchBucket)
    }

    @Test("finds and ends uploads in parts that nobody finished, under their prefix alone")
    func unfinished() async throws {
        let (client, prefix) = try await ready()
        let (left, other) = (prefix + "left/photo", prefix + "other/photo")
        // Never finished nor aborted, as by a process that was killed.
        for key in [left, other] {
            try await client.putStream(key, contentType: "image/jpeg").write(ByteBuffer(repeating: 1, count: 6 << 20))
        }
        let found = try await client.unfinishedUploads(under: prefix + "left/")
        #expect(found.map(\.key) == [left])
        for upload in found { try await client.end(upload) }
        for upload in found { try await client.end(upload) }
        #expect(try await client.unfinishedUploads(under: prefix + "left/").isEmpty)
        #expect(try await client.unfinishedUploads(under: prefix).map(\.key) == [other])
        for upload in try await client.unfinishedUploads(under: prefix) { try await client.end(upload) }
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
        let wrong = try await client(secret: "wrong")
        await #expect { try await wrong.checkBucket() } throws: { error in
            let error = error as? ObjectStorageError
            return error?.code == .accessDenied && error?.isTransient == true && error?.isUnreachable == false
        }
        let away = try await client(endpoint: "http://127.0.0.1:1")
        var configuration = away.configuration
        configuration.requestTimeout = .seconds(1)
        let client = S3Client(configuration: configuration, httpClient: .shared, logger: Logger(label: "tests"))
        await #expect { try await client.checkBucket() } throws: { error in
            (error as? ObjectStorageError)?.isTransient == true && (error as? ObjectStorageError)?.isUnreachable == true
        }
    }
}
