import AsyncHTTPClient
import CaptureProtocol
import Foundation
import Logging
import NIOCore
import Secrets
import TestSupport
import Testing

@testable import ObjectStorage

/// The rights of one service's identity in the object store; all other operations are tried and must be rejected.
struct StorageRights: Sendable, CustomTestStringConvertible {
    let service: String
    let reads: Set<String>
    let writes: Set<String>
    let deletes: Set<String>
    var lists = false
    /// Uploads in parts that are not finished.
    var listsUploads = false
    var testDescription: String { service }

    static let derived = ["public", "photo-828", "photo-1656", "thumbnail", "depth-preview", "c2pa", "manifest", "og"]
    static let kept = ["original.jpg", "depth.gz", "metadata.json"]

    /// As granted by `deploy/s3-identities.sh`.
    static let all = [
        StorageRights(
            service: "gateway", reads: Set(derived + ["segment", "log", "checkpoint"]), writes: Set(kept + ["segment"]),
            deletes: Set(kept + ["segment"])),
        StorageRights(
            service: "attestation-verifier", reads: ["incoming", "segment", "original.jpg", "depth.gz"], writes: [], deletes: []),
        StorageRights(
            service: "depth-analyzer", reads: ["incoming", "segment", "original.jpg", "depth.gz"],
            writes: ["depth-preview", "photo-828", "photo-1656", "thumbnail"],
            deletes: []),
        StorageRights(
            service: "upload-sync", reads: Set(["incoming", "segment"] + kept + derived),
            writes: Set(kept), deletes: Set(["incoming", "segment"] + kept + derived), lists: true, listsUploads: true
        ),
        StorageRights(
            service: "evidence-assembler",
            reads: ["original.jpg", "public", "photo-828", "photo-1656", "thumbnail", "depth-preview", "c2pa", "manifest"],
            writes: ["public", "c2pa", "manifest", "og"], deletes: []),
        StorageRights(
            service: "transparency-log", reads: ["log", "checkpoint", "head"], writes: ["log", "checkpoint", "head"],
            deletes: ["log", "checkpoint", "head"], lists: true),
    ]

    /// One object of each kind, by a short name: those of a capture, each service's probe, and one outside all prefixes.
    static func keys(_ capture: CaptureID) -> [String: String] {
        var keys = [
            "incoming": "incoming/\(capture)/photo", "segment": "incoming/\(capture)/body/0-1", "elsewhere": "elsewhere/\(capture)",
            "log": "log/\(capture)/tile/0/000", "checkpoint": "log/\(capture)/checkpoint",
            "head": "log/\(capture)/heads/99999999999999999998",
        ]
        for name in kept { keys[name] = "captures/\(capture)/\(name)" }
        for name in derived { keys[name] = "captures/\(capture)/\(name)-\(String(repeating: "a", count: 64)).jpg" }
        for service in LocalStack.services { keys["probe of \(service)"] = "probes/\(service)" }
        return keys
    }
}

extension LocalStack {
    /// The bucket, accessed as a service.
    func storage(as service: String) throws -> S3Client {
        let keys = folder.appendingPathComponent("keys")
        let secret = { (name: String) in
            try String(contentsOf: keys.appendingPathComponent("\(name)_\(service.replacing("-", with: "_"))"), encoding: .utf8)
        }
        var configuration = try storage().configuration
        configuration.accessKeyID = try secret("s3_access_key_id")
        configuration.secretAccessKey = Secret(try secret("s3_secret_access_key"))
        return S3Client(configuration: configuration, httpClient: .shared, logger: Logger(label: "tests"))
    }
}

extension SystemTests {
    @Suite("What each service may do in the object store")
    struct StorageIdentities {
        private func isAllowed(_ what: String, _ body: () async throws -> Void) async -> Bool {
            do {
                try await body()
                return true
            } catch {
                #expect((error as? ObjectStorageError)?.code == .accessDenied, "\(what): \(error)")
                return false
            }
        }

        @Test("is limited to its needs", .timeLimit(.minutes(5)), arguments: StorageRights.all)
        func rights(_ rights: StorageRights) async throws {
            let stack = try LocalStack.required()
            let (operatorStorage, own) = (try stack.storage(), try stack.storage(as: rights.service))
            let capture = CaptureID()
            let bytes = Array("rial. probe of \(rights.service)\n".utf8)
            let ownProbe = "probe of \(rights.service)"
            let source = "incoming/\(capture)/depth"
            try await operatorStorage.put(source, bytes: bytes, contentType: "text/plain")
            for (name, key) in StorageRights.keys(capture) {
                // The services' probes exist and must not be changed.
                if !name.hasPrefix("probe") { try await operatorStorage.put(key, bytes: bytes, contentType: "text/plain") }
                let reads = await isAllowed("reading \(name)") { _ = try await own.getBytes(key, limit: 1000) }
                #expect(reads == (rights.reads.contains(name) || name == ownProbe), "reading \(name)")
                let writes = await isAllowed("writing \(name)") { try await own.put(key, bytes: bytes, contentType: "text/plain") }
                #expect(writes == (rights.writes.contains(name) || name == ownProbe), "writing \(name)")
                let inParts = await isAllowed("an upload of \(name) in parts") {
                    let upload = own.putStream(key, contentType: "text/plain")
                    try await upload.write(ByteBuffer(repeating: 1, count: S3Upload.partBytes + 1))
                    await upload.abort()
                }
                #expect(inParts == writes, "an upload of \(name) in parts")
                let copies = await isAllowed("copying to \(name)") {
                    try await own.copy(from: source, to: key)
                }
                #expect(copies == (writes && rights.reads.contains("incoming")), "copying to \(name)")
            }
            for (name, key) in StorageRights.keys(capture) {
                let deletes = await isAllowed("deleting \(name)") { try await own.delete([key]) }
                #expect(deletes == rights.deletes.contains(name), "deleting \(name)")
            }
            for prefix in ["", "incoming/", "captures/\(capture)/"] {
                let lists = await isAllowed("listing \(prefix)") { _ = try await own.list(prefix: prefix) }
                #expect(lists == rights.lists, "listing \(prefix)")
                let listsUploads = await isAllowed("listing uploads \(prefix)") { _ = try await own.unfinishedUploads(under: prefix) }
                #expect(listsUploads == rights.listsUploads, "listing uploads \(prefix)")
            }
            try await operatorStorage.delete([source])
            // Aborts the multipart uploads that were begun, under all keys.
            for (_, key) in StorageRights.keys(capture) {
                for upload in try await operatorStorage.unfinishedUploads(under: key) { try await operatorStorage.end(upload) }
                if !key.hasPrefix("probes/") { try await operatorStorage.delete([key]) }
            }
        }

        @Test("no service makes or removes buckets, or reads another bucket")
        func buckets() async throws {
            let stack = try LocalStack.required()
            var configuration = try stack.storage().configuration
            configuration.bucket = "other-\(UUID().uuidString.lowercased())"
            let other = S3Client(configuration: configuration, httpClient: .shared, logger: Logger(label: "tests"))
            try await other.createBucketIfMissing()
            try await other.put("incoming/a/photo", bytes: [1], contentType: "image/jpeg")
            for service in LocalStack.services {
                var own = try stack.storage(as: service).configuration
                own.bucket = configuration.bucket
                let storage = S3Client(configuration: own, httpClient: .shared, logger: Logger(label: "tests"))
                let isRead = await isAllowed("reading another bucket") { _ = try await storage.getBytes("incoming/a/photo", limit: 10) }
                #expect(!isRead, "\(service)")
                own.bucket = "new-\(UUID().uuidString.lowercased())"
                let maker = S3Client(configuration: own, httpClient: .shared, logger: Logger(label: "tests"))
                await #expect(throws: ObjectStorageError.self, "\(service)") { try await maker.createBucketIfMissing() }
            }
            try await other.delete(["incoming/a/photo"])
        }
    }
}
