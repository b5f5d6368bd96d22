import AsyncHTTPClient
import Crypto
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import ObjectStorage

extension S3Client {
    /// Replaces the object by one of the same length with one byte changed.
    /// - Returns: the original bytes.
    @discardableResult
    func swap(_ key: String) async throws -> [UInt8] {
        let bytes = try await getBytes(key, limit: 32 << 20)
        try await put(key, bytes: bytes.changed(at: bytes.count / 2), contentType: "application/octet-stream")
        return bytes
    }
}

extension SystemTests {
    @Suite("Objects swapped in the store")
    struct StorageSwaps {
        private static let readers = ["attestation-verifier", "depth-analyzer", "upload-sync"]

        /// An accepted capture on whose objects `work` is performed while the services that read them are stopped; they are restarted
        /// afterwards.
        private func held(_ work: (LocalStack, S3Client, String) async throws -> Void) async throws -> (capture: FaultCapture, id: String) {
            let stack = try LocalStack.required()
            var device = try await TestClient.current().device()
            let capture = try FaultCapture(&device)
            let id = try await stack.without(Self.readers) {
                let id = try await capture.accepted().id
                try await work(stack, try stack.storage(), id)
                return id
            }
            return (capture, id)
        }

        /// Expects that the changed object failed the capture, and that a repeated upload, which restores the bytes, completes it.
        private func expectFailed(_ capture: FaultCapture, _ id: String, _ what: String) async throws {
            let client = try TestClient.current()
            let failed = try await client.settled(id, as: "failed")
            #expect(failed.data["failure"] as? String == "digest_mismatch", "\(what)")
            #expect(failed.data["confidence_level"] is NSNull, "\(what)")
            #expect(try await LocalStack.required().manifests(of: id).isEmpty, "\(what)")
            #expect(try await capture.accepted().id == id)
            let whole = try await client.settled(id, within: .seconds(120))
            #expect(whole.data["confidence_level"] as? String == "high", "\(what)")
            try await LocalStack.required().expectMedia(id, what)
        }

        @Test("before they are analysed end as a failure, never as HIGH", .timeLimit(.minutes(6)), arguments: ["original.jpg", "depth.gz"])
        func intake(name: String) async throws {
            let (capture, id) = try await held { _, storage, id in try await storage.swap("captures/\(id)/\(name)") }
            try await expectFailed(capture, id, name)
        }

        @Test("a swapped depth map is not measured", .timeLimit(.minutes(6)))
        func otherDepth() async throws {
            let (capture, id) = try await held { _, storage, id in
                try await storage.put(
                    "captures/\(id)/depth.gz", bytes: CaptureParts(CaptureParts.screen).depth, contentType: "application/octet-stream")
            }
            try await expectFailed(capture, id, "depth")
        }

        @Test(
            "between analysis and signing end as a failure, never as a signature", .timeLimit(.minutes(6)),
            arguments: ["original.jpg", "photo-828.jpg"])
        func kept(name: String) async throws {
            let stack = try LocalStack.required()
            var device = try await TestClient.current().device()
            let capture = try FaultCapture(&device)
            let id = try await stack.without(["evidence-assembler"]) {
                let id = try await capture.accepted().id
                let query = """
                    SELECT coalesce(sync_jobs.result->'objects'->'\(name)'->>'key', depth_analyses.result->'pictures'->'\(name)'->>'key')
                    FROM sync_jobs JOIN depth_analyses USING (capture_id)
                    WHERE capture_id = '\(id)' AND sync_jobs.result IS NOT NULL AND depth_analyses.result IS NOT NULL
                    """
                try await eventually("\(name) is there") { try await !stack.sql(query).isEmpty }
                try await stack.storage().swap(try #require(try await stack.sql(query).first))
                return id
            }
            try await expectFailed(capture, id, name)
        }

        @Test("the verifier appraises no swapped bytes either", .timeLimit(.minutes(5)))
        func verifier() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            let parts = try CaptureParts()
            let inner = Array(SHA256.hash(data: parts.photo + parts.depth))
            // Depth before photo: the gateway cannot hash them in order while streaming.
            let form = Array(
                parts.form(assertion: try device.assertion(clientDataHash: Array(SHA256.hash(data: inner)))).reversed())
            let id = try await stack.without(Self.readers) {
                let answer = try await client.submit(&device, form)
                let id = try #require(answer.data["capture_id"] as? String, "\(answer.text)")
                try await stack.storage().swap("captures/\(id)/original.jpg")
                return id
            }
            let query = "SELECT failure FROM attestation_appraisals WHERE capture_id = '\(id)'"
            try await eventually("the verifier gave it up") { try await stack.sql(query) == ["digest_mismatch"] }
            #expect(try await client.settled(id, as: "failed").data["failure"] as? String == "digest_mismatch")
            #expect(try await client.submit(&device, form).status == 200)
            let whole = try await client.settled(id)
            #expect(whole.evidence("hardware_attestation.binding") == "photo+depth")
            #expect(whole.data["confidence_level"] as? String == "high")
        }

        @Test("after completion are not served whole: the response ends early", .timeLimit(.minutes(5)))
        func served() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            let capture = try await SignedCapture.make()
            let key = try #require(
                try await stack.sql("SELECT object_key FROM media_objects WHERE capture_id = '\(capture.id)' AND name = 'c2pa.jpg'").first)
            let whole = try await capture.media("c2pa.jpg")
            let storage = try stack.storage()
            let kept = try await storage.swap(key)
            let link = try stack.link(capture.id, "c2pa.jpg", expires: Date() + 600)
            await #expect(throws: (any Error).self) { try await client.send("GET", link) }
            await #expect(throws: (any Error).self) { try await client.send("GET", link, headers: [("Range", "bytes=0-")]) }
            // A range is sent as stored: the client can compare the whole with the digest in the ETag.
            #expect(try await client.send("GET", link, headers: [("Range", "bytes=0-9")]).status == 206)
            // If the length differs, nothing is sent.
            try await storage.put(key, bytes: Array(kept.dropLast()), contentType: "image/jpeg")
            #expect(try await client.send("GET", link).status == 503)
            try await storage.put(key, bytes: kept, contentType: "image/jpeg")
            #expect(try await client.send("GET", link).body == whole)
        }
    }
}
