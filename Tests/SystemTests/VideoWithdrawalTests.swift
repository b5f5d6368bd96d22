import CaptureProtocol
import Foundation
import Models
import NIOCore
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("Withdrawal of videos")
    struct VideoWithdrawals {
        // The device's photo stays in each of them: there is something to look through.

        @Test("a complete video is gone at once, with each of its objects, and its files are unknown", .timeLimit(.minutes(5)))
        func complete() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            _ = try await client.capture(&device, try CaptureParts())
            let recording = try await Self.recording(by: &device)
            let id = try await recording.accepted().value.id
            let shown = try await client.settled(id, within: .seconds(120))
            let facts = try await Self.facts(of: recording, id, in: stack)
            let copy = try #require(shown.data["c2pa_media_url"] as? String)
            let signed = try await client.send("GET", String(copy.dropFirst(client.url.count))).body
            let original = try #require(recording.form.first).bytes
            #expect(try await client.verify(signed, within: .seconds(60)).verdict == "verified")
            let links = try ["c2pa.mp4", "poster.jpg", "depth-frames.jpg", "og.jpg", "thumbnail.jpg"].map {
                try stack.link(id, $0, expires: Date().addingTimeInterval(60))
            }
            for link in links { #expect(try await client.send("GET", link).status == 200, "\(link)") }

            #expect(try await client.withdraw(id, &device).status == 204)
            for path in links + ["\(TestClient.captures)/\(id)", "\(TestClient.captures)/\(id)/events", "/verify/\(id)"] {
                APIRefusal.gone.expectEnvelope(try await client.send("GET", path), path)
            }
            try await stack.expectHandled(id)
            try await stack.expectErased(id, facts)
            #expect(try await client.verify(original, within: .seconds(60)).verdict == "no_record")
            #expect(try await client.verify(signed, within: .seconds(60)).verdict == "c2pa_only")
        }

        @Test(
            "a video withdrawn while a service was away, before or after it was decoded, leaves nothing when that comes back",
            .timeLimit(.minutes(6)), arguments: ["attestation-verifier", "depth-analyzer", "upload-sync", "evidence-assembler"])
        func inHand(service: String) async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            _ = try await client.capture(&device, try CaptureParts())
            let recording = try await Self.recording(by: &device)
            let (id, facts) = try await stack.without(service, by: "stop") {
                let id = try await recording.accepted().value.id
                let done = service == "depth-analyzer" ? "attestation_appraisals" : "depth_analyses"
                try await eventually("another service has done its part") {
                    try await stack.sql("SELECT count(*) FROM \(done) WHERE capture_id = '\(id)'") == ["1"]
                }
                let facts = try await Self.facts(of: recording, id, in: stack)
                #expect(try await client.withdraw(id, &device).status == 204)
                return (id, facts)
            }
            try await stack.expectHandled(id)
            try await stack.expectErased(id, facts, service)
            APIRefusal.gone.expectEnvelope(try await client.show(id))
        }

        /// A recording like no other: no other capture has its digests.
        private static func recording(by device: inout SimulatedDevice) async throws -> SignedRecording {
            let folder = try await VideoCamera().record(
                "room", "--seconds", "1", "--size", "160x120", "--unsigned", "--seed", "\(Int.random(in: 1000...1_000_000))")
            return try SignedRecording(URL(fileURLWithPath: folder), by: &device)
        }

        /// What must be nowhere once the video is withdrawn: digests of its parts and of every object of it, and when it began.
        private static func facts(of recording: SignedRecording, _ id: String, in stack: LocalStack) async throws -> ErasedFacts {
            let objects = try await stack.sql("SELECT encode(sha256, 'hex') FROM media_objects WHERE capture_id = '\(id)'")
            let salts = try await stack.sql(
                "SELECT encode(salt, 'hex') || ' ' || encode(raw_salt, 'hex') FROM statements WHERE capture_id = '\(id)'")
            let stored = objects + salts.flatMap { $0.split(separator: " ").map(String.init) }
            let digests = recording.form.map { ContentDigest(of: $0.bytes).bytes } + (try stored.map { try #require(Hex.decode($0)) })
            let metadata = try #require(recording.form.first { $0.disposition.contains("\"metadata\"") })
            let start = Timestamp.format(try VideoMetadata.parse(metadata.bytes, isOriginalLayout: false).startedAt)
            let sender = try #require(recording.device.deviceID)
            // Times of recordings are whole seconds, and the device can have been registered in the same one.
            let registered = try await stack.sql("SELECT registered_at FROM devices WHERE id = '\(sender)'")
            return ErasedFacts(
                needles: digests.flatMap { [$0.lowerHex, Data($0).base64EncodedString()] },
                times: [start, start.replacing("T", with: " ").replacing("Z", with: "")].filter { time in
                    !registered.contains { $0.hasPrefix(time) }
                },
                sender: sender)
        }
    }
}
