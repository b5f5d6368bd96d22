import CaptureProtocol
import Crypto
import Foundation
import Scene
import SimulatedDevice
import Testing

extension LocalStack {
    /// A client of attestation-verifier's admin port, and the header that authenticates an operator.
    func administration() throws -> (client: TestClient, token: [(String, String)]) {
        let url = try #require(addresses["RIAL_ADMIN_ATTESTATION_VERIFIER"])
        return (TestClient(url: url), [("Authorization", "Bearer \(try #require(addresses["RIAL_ADMIN_TOKEN"]))")])
    }

    /// Runs the work while devices are appraised with other settings, which are restored afterwards.
    func appraising<Result>(with settings: [String: String], _ work: () async throws -> Result) async throws -> Result {
        try await control("stop", "attestation-verifier")
        let result: Swift.Result<Result, any Error>
        do {
            try await control("start", "attestation-verifier", settings: settings)
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        try await control("stop", "attestation-verifier")
        try await control("start", "attestation-verifier")
        return try result.get()
    }
}

extension CaptureParts {
    /// The room without EXIF, with the time and place that the test gives.
    static func withoutEXIF(capturedAt: String) throws -> CaptureParts {
        var parts = try CaptureParts(extra: ["captured_at": capturedAt])
        let room = try #require(room).jpeg
        let comment = Array("\(UUID())".utf8)
        // The scene's first segment is its EXIF.
        let rest = room.dropFirst(4 + Int(room[4]) << 8 + Int(room[5]))
        try parts.replacePhoto(Array(room.prefix(2)) + [0xff, 0xfe, 0, UInt8(comment.count + 2)] + comment + rest)
        return parts
    }
}

extension SystemTests {
    @Suite("What an installation accepts, and what it marks")
    struct Policy {
        @Test(
            "a device registered before ends without a hardware pass where its app, environment or root no longer counts",
            arguments: [
                (["RIAL_APP_IDS": "ABCDE12345.app.other"], "app_not_accepted"),
                (["RIAL_APP_ATTEST_ENVIRONMENT": "production"], "environment_mismatch"),
                // Fail points are allowed in development mode only.
                (["RIAL_MODE": "production", "RIAL_FAIL_POINTS": "", "RIAL_KAFKA_ALLOW_PLAINTEXT": "1"], "development_device"),
                (["RIAL_LEGACY_BINDINGS_UNTIL": "2026-01-31"], nil),
            ] as [([String: String], String?)])
        func settings(changes: [String: String], reason: String?) async throws {
            let (stack, client) = (try LocalStack.required(), try TestClient.current())
            var device = try await client.device()
            let before = try await client.settled(client.capture(&device, CaptureParts()))
            #expect(before.data["confidence_level"] as? String == "high")
            let parts = try CaptureParts()
            let after = try await stack.appraising(with: changes) {
                try await client.settled(client.capture(&device, parts))
            }
            #expect(after.evidence("hardware_attestation.reason") == reason)
            #expect(after.evidence("hardware_attestation.status") == (reason == nil ? "pass" : "unavailable"))
            #expect(after.data["confidence_level"] as? String == (reason == nil ? "high" : "medium"))
            #expect(after.data["metadata_signed"] as? Bool == (reason == nil))
            guard reason != nil else { return }
            #expect(after.data["c2pa_media_url"] is NSNull)
            // The counter is consumed all the same: the assertion cannot be reused for another capture.
            let again = try CaptureParts()
            let digests = again.digests
            let reused = try device.captureAssertion(
                photoDigest: digests.photo, depthDigest: digests.depth, metadataDigest: digests.metadata, counter: device.counter)
            let replay = try await client.settled(client.capture(&device, again, assertion: reused))
            #expect(replay.evidence("hardware_attestation.reason") == "counter_replay")
        }

        @Test("legacy bindings that have ended leave the check unavailable, not failed")
        func retired() async throws {
            let (stack, client) = (try LocalStack.required(), try TestClient.current())
            var device = try await client.device()
            let parts = try CaptureParts()
            let assertion = try device.assertion(clientDataHash: parts.digests.photo.bytes)
            let answer = try await stack.appraising(with: ["RIAL_LEGACY_BINDINGS_UNTIL": "2026-01-31T00:00:00Z"]) {
                try await client.settled(client.capture(&device, parts, assertion: assertion))
            }
            #expect(answer.evidence("hardware_attestation.status") == "unavailable")
            #expect(answer.evidence("hardware_attestation.reason") == "binding_retired")
            #expect(answer.evidence("hardware_attestation.binding") == "photo")
            #expect(answer.evidence("depth_analysis.reason") == "depth_not_signed")
        }

        @Test("a capture time after receipt fails, without EXIF too")
        func future() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let parts = try CaptureParts.withoutEXIF(capturedAt: "2031-01-01T00:00:00Z")
            let answer = try await client.settled(client.capture(&device, parts))
            #expect(answer.evidence("metadata.timestamp.status") == "fail")
            #expect(answer.evidence("metadata.timestamp.reason") == "after_receipt")
            #expect(answer.data["confidence_level"] as? String == "suspicious")
            #expect(answer.evidence("content_credentials.status") == "withheld")
        }

        @Test("an unsigned time, place and model are marked everywhere, and in no Content Credentials")
        func unsigned() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let parts = try CaptureParts.withoutEXIF(capturedAt: "1999-12-31T23:59:59Z")
            let inner = Array(SHA256.hash(data: parts.photo + parts.depth))
            let assertion = try device.assertion(clientDataHash: Array(SHA256.hash(data: inner)))
            let id = try await client.capture(&device, parts, assertion: assertion)
            let answer = try await client.settled(id)
            #expect(answer.data["confidence_level"] as? String == "high" && answer.data["metadata_signed"] as? Bool == false)
            let hardware = (answer.data["evidence"] as? [String: Any])?["hardware_attestation"] as? [String: Any]
            #expect(hardware?["signature_covers"] as? [String] == ["photo", "depth"])
            let page = try await client.send("GET", "/verify/\(id)?lang=en").text
            #expect(page.contains("photo captured 31 December 1999 (not signed)"))
            #expect(page.contains("The signature does not cover time, place and model."))
            #expect(page.components(separatedBy: "· not signed</span>").count == 4)
            let copy = try await SignedCapture(id: id, parts: parts, view: answer.text).media("c2pa.jpg")
            for word in ["1999-12-31", "\"when\"", "iPhone", "device_model", "metadata.location"] {
                #expect(!copy.contains(word), "\(word)")
            }
            #expect(copy.contains("c2pa.created"))
        }

        @Test("revoking and restoring need the token, leave a trace, and take effect at once")
        func revoking() async throws {
            let (stack, client) = (try LocalStack.required(), try TestClient.current())
            let (admin, token) = try stack.administration()
            var device = try await client.device()
            let id = try #require(device.deviceID)
            for path in ["/devices/\(id)/revoke", "/devices/\(id)/restore"] {
                #expect(try await admin.send("POST", path).status == 401)
                #expect(try await admin.send("POST", path, headers: [("Authorization", "Bearer 0123456789abcdef")]).status == 401)
                let page = try await admin.send("POST", path, headers: token + [("Origin", "http://evil.example")])
                #expect(page.status == 403 && page.json["status"] as? String == "browser_refused")
            }
            #expect(try await client.submit(&device, CaptureParts().form(assertion: nil)).status == 201, "none of these did anything")
            let revoked = try await admin.send(
                "POST", "/devices/\(id)/revoke", headers: token, body: Array(#"{"by":"test","reason":"lost"}"#.utf8))
            #expect(revoked.status == 200 && revoked.json["status"] as? String == "revoked")
            let refused = try await client.submit(&device, CaptureParts().form(assertion: nil))
            #expect(refused.status == 403 && refused.errorCode == "DEVICE_REVOKED")
            #expect(try await admin.send("POST", "/devices/\(id)/restore", headers: token).status == 200)
            let answer = try await client.settled(client.capture(&device, CaptureParts()))
            #expect(answer.data["confidence_level"] as? String == "high")
            let events = try await admin.send("GET", "/devices/\(id)/events", headers: token).json["events"] as? [[String: Any]]
            #expect(events?.map { $0["action"] as? String } == ["restored", "revoked"])
            #expect(events?.last?["by"] as? String == "test" && events?.last?["reason"] as? String == "lost")
            #expect(try await admin.send("GET", "/devices/\(id)/events").status == 401)
            #expect(try await admin.send("POST", "/devices/\(UUID())/revoke", headers: token).status == 404)
            #expect(try await admin.send("POST", "/devices/nonsense/revoke", headers: token).status == 400)
            #expect(try await admin.send("POST", "/devices/\(id)/revoke", headers: token, body: Array("{".utf8)).status == 400)
        }

        @Test("the command line revokes, restores and audits with the right admin token only")
        func program() async throws {
            let (stack, client) = (try LocalStack.required(), try TestClient.current())
            var device = try await client.device()
            let id = try #require(device.deviceID)
            func rial(_ arguments: String...) async throws -> String {
                let program = stack.folder.appendingPathComponent("../../.build/debug/rial").standardizedFileURL.path
                return try await LocalStack.run(program, ["device"] + arguments, stack.addresses)
            }
            #expect(try await rial("revoke", id, "--reason", "stolen").contains("is revoked"))
            #expect(try await client.submit(&device, CaptureParts().form(assertion: nil)).errorCode == "DEVICE_REVOKED")
            #expect(try await rial("restore", id).contains("accepted again"))
            #expect(try await client.submit(&device, CaptureParts().form(assertion: nil)).status == 201)
            let audit = try await rial("audit", id)
            #expect(audit.contains("revoked") && audit.contains("restored") && audit.contains("rial-cli") && audit.contains("stolen"))
            try await stack.control("start", "attestation-verifier", 2, settings: ["RIAL_ADMIN_TOKEN": "another-token-of-a-test"])
            let other = try stack.client(of: "attestation-verifier", 2, .admin).url
            await #expect(throws: LocalStack.CommandFailed.self) { try await rial("revoke", id, "--admin", other) }
            try await stack.control("stop", "attestation-verifier", 2)
        }
    }
}
