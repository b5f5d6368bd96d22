import CaptureProtocol
import Foundation
import Models
import NIOCore
import ObjectStorage
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("Withdrawal of captures")
    struct Withdrawals {
        /// Expects 410 with the day and no word of the content, wherever the capture was to be seen.
        private func expectGone(_ id: String, short: String, _ device: inout SimulatedDevice) async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            let link = try stack.link(id, "c2pa.jpg", expires: Date().addingTimeInterval(60))
            let expired = try stack.link(id, "c2pa.jpg", expires: Date().addingTimeInterval(-60))
            let paths = [
                "\(TestClient.captures)/\(id)", "\(TestClient.captures)/\(id)/events", "/verify/\(id)", "/v/\(short)",
                "/oembed?url=\(client.url)/verify/\(id)", "/oembed?url=\(client.url)/v/\(short)", "/media/\(id)/og.jpg",
                "/media/\(id)/thumbnail.jpg", link, expired,
            ]
            let days = [Date().addingTimeInterval(-3600), Date()].map { String(Timestamp.format($0).prefix(10)) }
            for path in paths {
                let answer = try await client.send("GET", path)
                APIRefusal.gone.expectEnvelope(answer, path)
                let error = answer.json["error"] as? [String: String]
                #expect(Set(error?.keys.map { $0 } ?? []) == ["code", "message", "withdrawn_on"], "\(path)")
                #expect(days.contains(error?["withdrawn_on"] ?? ""), "\(path)")
                #expect(try await client.send("HEAD", path).status == 410, "\(path)")
            }
            APIRefusal.gone.expectEnvelope(try await client.signedRead(&device, paths[0]))
            for (language, text) in [("en", "This record was withdrawn."), ("es", "Este registro se retiró.")] {
                for path in ["/verify/\(id)", "/v/\(short)", link] {
                    let page = try await client.send("GET", path, headers: [("Accept", "text/html"), ("Cookie", "lang=\(language)")])
                    #expect(page.status == 410 && page.text.contains(text), "\(path) \(language)")
                    #expect(page.headers["cache-control"] == "no-store")
                    #expect(page.text.contains(days[1].prefix(4)), "the day is told")
                }
            }
        }

        @Test("a complete capture is gone at once, for everyone and for good", .timeLimit(.minutes(5)))
        func complete() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            var other = try await client.device()
            var capture = try TellingCapture(&device)
            let id = try await client.accepted(capture, &device)
            let shown = try await client.settled(id)
            let short = try #require(shown.data["short_id"] as? String)
            try await capture.addPublished(of: id, in: stack)
            try await stack.expectFound(id, capture)
            // Looked up while it was known: the log must forget it too.
            #expect(try await client.send("GET", "/api/v1/verify-hash/\(capture.parts.digests.photo.hex)").status == 200)
            let copy = try #require(shown.data["c2pa_media_url"] as? String)
            let bytes = try await client.send("GET", String(copy.dropFirst(client.url.count))).body
            let card = try await client.send("GET", "/media/\(id)/og.jpg")
            #expect(card.status == 200 && card.headers["cache-control"] == "public, max-age=60, must-revalidate")

            APIRefusal.deviceAuthRequired.expectEnvelope(try await client.send("DELETE", "\(TestClient.captures)/\(id)"))
            APIRefusal.forbidden.expectEnvelope(try await client.withdraw(id, &other))
            APIRefusal.captureNotFound.expectEnvelope(try await client.withdraw("\(UUID())", &device))
            #expect(try await client.show(id).status == 200)

            for _ in 0..<2 {
                let answer = try await client.withdraw(id, &device)
                #expect(answer.status == 204 && answer.body.isEmpty && answer.headers["cache-control"] == "no-store")
                try await expectGone(id, short: short, &device)
            }
            APIRefusal.forbidden.expectEnvelope(try await client.withdraw(id, &other))
            try await stack.expectHandled(id)
            try await stack.expectErased(id, capture)

            for digest in [capture.parts.digests.photo, ContentDigest(of: bytes)] {
                APIRefusal.hashNotFound.expectEnvelope(try await client.send("GET", "/api/v1/verify-hash/\(digest.hex)"))
            }
            #expect(try await client.verify(capture.parts.photo, within: .seconds(60)).verdict == "no_record")
            // Our own copy has left with others: what it says inside stays, but there is no record any more.
            #expect(try await client.verify(bytes, within: .seconds(60)).verdict == "c2pa_only")
            // Its counter is used for ever: the same upload is a new capture, and a replay.
            let again = try await client.accepted(capture.form, of: device).value.id
            #expect(again != id)
            #expect(try await client.settled(again).data["confidence_level"] as? String == "suspicious")
        }

        @Test("twice at once is once", .timeLimit(.minutes(5)))
        func twice() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            let capture = try TellingCapture(&device)
            let id = try await client.accepted(capture, &device)
            let signed = device
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        var own = signed
                        return try await client.withdraw(id, &own).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 204, count: 6))
            try await stack.expectHandled(id)
            try await stack.expectErased(id, capture)
            #expect(try await stack.records(of: .captureWithdrawn, key: id).count == 1)
        }

        @Test("another device's claim to the same photo stays, and is found", .timeLimit(.minutes(5)))
        func shared() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var (first, second) = (try await client.device(), try await client.device())
            let capture = try TellingCapture(&first)
            let claim = try TellingCapture(&second, photoOf: capture)
            let id = try await client.accepted(capture, &first)
            _ = try await client.settled(id)
            let kept = try await client.accepted(claim, &second)
            _ = try await client.settled(kept)
            let lookUp = "/api/v1/verify-hash/\(capture.parts.digests.photo.hex)"
            #expect(try await client.send("GET", lookUp).data["capture_id"] as? String == id)

            #expect(try await client.withdraw(id, &first).status == 204)
            try await stack.expectHandled(id)
            try await stack.expectErased(id, capture, sharesPhoto: true)
            let found = try await client.send("GET", lookUp)
            #expect(found.data["capture_id"] as? String == kept && !found.text.contains(id))
            #expect(try await client.show(kept).status == 200)
            try await stack.expectMedia(kept, "the claim that stays")
        }

        @Test("a reader of its events is told, and what was in the pipeline ends withdrawn", .timeLimit(.minutes(5)))
        func followed() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            let capture = try TellingCapture(&device)
            let (id, stream) = try await stack.without("evidence-assembler", by: "stop") {
                let id = try await client.accepted(capture, &device)
                let stream = Task { try await client.send("GET", "\(TestClient.captures)/\(id)/events") }
                let admin = TestClient(url: stack.addresses["RIAL_ADMIN_GATEWAY"] ?? "")
                try await eventually("the stream is open") {
                    try await admin.send("GET", "/metrics").text.contains("rial_event_streams_open 1")
                }
                #expect(try await client.withdraw(id, &device).status == 204)
                return (id, try await stream.value.text)
            }
            let last = stream.components(separatedBy: "\n\n").last { $0.contains("event: ") } ?? ""
            #expect(last.contains("event: status\ndata: {\"status\":\"withdrawn\"}"), "\(stream)")
            try await stack.expectHandled(id)
            try await stack.expectErased(id, capture)
            APIRefusal.gone.expectEnvelope(try await client.show(id))
        }

        @Test("what a slow worker stores late is deleted as well, and no event is needed for it", .timeLimit(.minutes(5)))
        func late() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            let capture = try TellingCapture(&device)
            let id = try await client.accepted(capture, &device)
            _ = try await client.settled(id)
            #expect(try await client.withdraw(id, &device).status == 204)
            try await stack.expectHandled(id)
            try await stack.expectErased(id, capture)
            let key = "captures/\(id)/thumbnail-\(String(repeating: "a", count: 64)).jpg"
            try await stack.storage().put(key, bytes: [1, 2, 3], contentType: "image/jpeg")
            await #expect(throws: LocalStack.CommandFailed.self) { try await stack.rial(["admin", "erased", id]) }
            try await stack.expectErased(id, capture)
            #expect(try await stack.sql("SELECT erased_at IS NULL FROM withdrawals WHERE capture_id = '\(id)'") == ["t"])
            _ = try await stack.sql(
                """
                UPDATE withdrawals SET withdrawn_at = now() - interval '2 hours', found_at = now() - interval '2 hours',
                    erase_next_at = now() WHERE capture_id = '\(id)'
                """)
            try await eventually("nobody looks any more") {
                try await stack.sql("SELECT erased_at IS NOT NULL FROM withdrawals WHERE capture_id = '\(id)'") == ["t"]
            }
        }

        @Test("an operator withdraws any capture, with a reason, and it cannot be driven again", .timeLimit(.minutes(5)))
        func demanded() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            let capture = try TellingCapture(&device)
            let id = try await client.accepted(capture, &device)
            await #expect(throws: LocalStack.CommandFailed.self) { try await stack.rial(["admin", "erased", id]) }
            let said = try await stack.rial(["admin", "withdraw", id, "--reason", "court order 7"])
            #expect(said.contains("capture \(id) withdrawn"))
            #expect(try await stack.rial(["admin", "withdraw", id, "--reason", "again"]).contains("was already withdrawn"))
            #expect(try await stack.sql("SELECT by, reason FROM withdrawals WHERE capture_id = '\(id)'") == ["operator|court order 7"])
            try await stack.expectHandled(id)
            try await stack.expectErased(id, capture)
            await #expect(throws: LocalStack.CommandFailed.self) { try await stack.rial(["dlq", "redrive", "--capture", id]) }
            await #expect(throws: LocalStack.CommandFailed.self) {
                try await stack.rial(["admin", "withdraw", "\(UUID())", "--reason", "x"])
            }
        }

        @Test("its owner withdraws with the command line, which asks first", .timeLimit(.minutes(5)))
        func commanded() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            let state = FileManager.default.temporaryDirectory.appendingPathComponent("withdrawal-\(UUID().uuidString).json").path
            defer { try? FileManager.default.removeItem(atPath: state) }
            _ = try await stack.rial(["device", "register", "--state", state])
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: state))) as? [String: Any]
            var device = try JSONDecoder().decode(
                SimulatedDevice.self, from: JSONSerialization.data(withJSONObject: try #require(json?["device"])))
            device.deviceID = json?["device_id"] as? String
            let id = try await client.accepted(TellingCapture(&device), &device)
            await #expect("without an answer nothing is withdrawn") {
                try await stack.rial(["capture", "withdraw", id, "--state", state])
            } throws: { error in
                (error as? LocalStack.CommandFailed)?.output.contains("stays with them") == true
            }
            #expect(try await client.show(id).status == 200)
            #expect(try await stack.rial(["capture", "withdraw", id, "--yes", "--state", state]).contains("capture \(id) withdrawn"))
            APIRefusal.gone.expectEnvelope(try await client.show(id))
        }
    }
}
