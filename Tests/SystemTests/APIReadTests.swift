import Crypto
import Foundation
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("Reads over the API")
    struct APIReads {
        /// One event of a stream.
        private struct Event: Equatable {
            var id = ""
            var name = ""
            var data = ""
            var json: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(data.utf8))) as? [String: Any] ?? [:] }
        }

        private func events(_ answer: Answer) -> [Event] {
            answer.text.components(separatedBy: "\n\n").compactMap { block in
                var event = Event()
                for line in block.split(separator: "\n") {
                    if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
                    if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
                    if line.hasPrefix("data: ") { event.data = String(line.dropFirst(6)) }
                }
                return event.name.isEmpty ? nil : event
            }
        }

        @Test("the events of a capture come in order until it is final, in public form", .timeLimit(.minutes(4)))
        func stream() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let id = try await client.capture(&device, CaptureParts())
            let answer = try await client.send("GET", "\(TestClient.captures)/\(id)/events")
            #expect(answer.status == 200 && answer.headers["content-type"]?.hasPrefix("text/event-stream") == true)
            let all = events(answer)
            #expect(all.map(\.name) == ["status", "check", "check", "check", "evidence", "status", "log"], "\(answer.text)")
            #expect(all.first?.json["status"] as? String == "processing")
            let last = all.last { $0.name == "status" }
            #expect(last?.json["status"] as? String == "complete" && last?.json["confidence_level"] as? String == "high")
            #expect(all.last?.json["standing"] as? String == "stands")
            let checks = all.filter { $0.name == "check" }.compactMap { $0.json["name"] as? String }
            #expect(Set(checks) == ["hardware_attestation", "depth_analysis", "media"])
            #expect(all.allSatisfy { !$0.id.isEmpty })
            let evidence = try #require(all.first { $0.name == "evidence" }).json
            #expect((evidence["hardware_attestation"] as? [String: Any])?["status"] as? String == "pass")
            for secret in ["45.764043", try #require(device.deviceID), "\"counter\""] {
                #expect(!answer.text.lowercased().contains(secret.lowercased()), "the stream says \(secret)")
            }
        }

        @Test("a reader that reconnects with its last event id gets only newer events", .timeLimit(.minutes(4)))
        func replay() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let id = try await client.capture(&device, CaptureParts())
            _ = try await client.settled(id)
            let path = "\(TestClient.captures)/\(id)/events"
            let all = events(try await client.send("GET", path))
            #expect(all.count == 7)
            for (index, event) in all.enumerated() {
                let rest = events(try await client.send("GET", path, headers: [("Last-Event-ID", event.id)]))
                #expect(rest == Array(all.dropFirst(index + 1)), "after \(event.id)")
            }
            let nonsense = events(try await client.send("GET", path, headers: [("Last-Event-ID", "x.y.'; DROP TABLE captures")]))
            #expect(nonsense == all)
            APIRefusal.captureNotFound.expectEnvelope(try await client.send("GET", "\(TestClient.captures)/\(UUID())/events"))
        }

        @Test("an address may have ten streams", .timeLimit(.minutes(5)))
        func streamLimit() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            let answers = try await stack.without("evidence-assembler", by: "stop") {
                let id = try await client.capture(&device, CaptureParts())
                let path = "\(TestClient.captures)/\(id)/events"
                let streams = (0..<10).map { _ in Task { try await client.send("GET", path) } }
                let admin = TestClient(url: stack.addresses["RIAL_ADMIN_GATEWAY"] ?? "")
                try await eventually("ten streams are open") {
                    try await admin.send("GET", "/metrics").text.contains("rial_event_streams_open 10")
                }
                APIRefusal.rateLimited.expectEnvelope(try await client.send("GET", path))
                return streams
            }
            // Now the evidence is completed, which ends all streams.
            for stream in answers {
                #expect(events(try await stream.value).last { $0.name == "status" }?.json["status"] as? String == "complete")
            }
        }

        @Test("a capture has an entity tag that changes with it")
        func tags() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let id = try await client.capture(&device, CaptureParts())
            _ = try await client.send("GET", "\(TestClient.captures)/\(id)/events")
            let first = try #require(try await client.settled(id).headers["etag"])
            for field in [first, "W/\(first)", "\"other\", \(first)", "*"] {
                let answer = try await client.show(id, headers: [("If-None-Match", field)])
                #expect(answer.status == 304 && answer.body.isEmpty && answer.headers["etag"] == first, "\(field)")
            }
            #expect(try await client.show(id, headers: [("If-None-Match", "\"other\"")]).status == 200)
            let head = try await client.send("HEAD", "\(TestClient.captures)/\(id)")
            #expect(head.status == 200 && head.body.isEmpty && head.headers["etag"] == first)
        }

        @Test(
            "no byte follows the header of an answer to HEAD, found or not: the next answer begins there", .timeLimit(.minutes(4)),
            arguments: [
                "/", "/nothing-here", "/verify/x", "/health", "/api/v1/captures/x", "/api/v1/uploads/x", "/api/v1/devices/register",
                "/media/x/public.jpg",
            ])
        func heads(path: String) async throws {
            let socket = try RawSocket(port: try TestClient.current().port)
            let request = "HEAD \(path) HTTP/1.1\r\nHost: x\r\nUpload-Draft-Interop-Version: 8\r\n\r\n"
            _ = socket.send(Array((request + request).utf8))
            try await eventually("two answers") { socket.text().components(separatedBy: "\r\n\r\n").count > 2 }
            let parts = socket.text().components(separatedBy: "\r\n\r\n")
            #expect(parts.count == 3 && parts.prefix(2).allSatisfy { $0.hasPrefix("HTTP/1.1 ") } && parts[2].isEmpty, "\(parts)")
        }

        @Test(
            "media come whole or in part, with digest and entity tag",
            arguments: [
                "media_url", "thumbnail_url", "depth_visualization_url",
            ])
        func media(field: String) async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let view = try await client.settled(client.capture(&device, CaptureParts()))
            let url = try #require(view.data[field] as? String)
            let path = String(url.dropFirst(client.url.count))
            let whole = try await client.send("GET", path)
            let digest = Data(SHA256.hash(data: whole.body)).base64EncodedString()
            #expect(whole.status == 200 && whole.headers["content-digest"] == "sha-256=:\(digest):")
            #expect(whole.headers["accept-ranges"] == "bytes" && whole.headers["x-content-type-options"] == "nosniff")
            let size = whole.body.count
            let ranges = [
                ("bytes=0-0", 0..<1), ("bytes=10-19", 10..<20), ("bytes=-5", size - 5..<size), ("bytes=\(size - 3)-", size - 3..<size),
                ("bytes=0-\(size * 2)", 0..<size),
            ]
            for (header, range) in ranges {
                let part = try await client.send("GET", path, headers: [("Range", header)])
                #expect(part.status == 206 && part.body == Array(whole.body[range]), "\(header)")
                #expect(part.headers["content-range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)", "\(header)")
            }
            for header in ["bytes=5-2", "lines=1-2", "bytes=a-b", "bytes=0-1,4-5"] {
                #expect(try await client.send("GET", path, headers: [("Range", header)]).status == 200, "\(header)")
            }
            let beyond = try await client.send("GET", path, headers: [("Range", "bytes=\(size)-")])
            #expect(beyond.status == 416 && beyond.headers["content-range"] == "bytes */\(size)")
            let tag = try #require(whole.headers["etag"])
            let same = try await client.send("GET", path, headers: [("If-None-Match", tag)])
            #expect(same.status == 304 && same.body.isEmpty)
            let head = try await client.send("HEAD", path)
            #expect(head.status == 200 && head.body.isEmpty && head.headers["etag"] == tag)
        }

        @Test("a link is for one capture, one name and an hour")
        func links() async throws {
            let client = try TestClient.current()
            let stack = try LocalStack.required()
            var device = try await client.device()
            let id = try await client.capture(&device, CaptureParts())
            let other = try await client.capture(&device, CaptureParts())
            _ = try await client.settled(id)
            _ = try await client.settled(other)
            let now = Date()
            #expect(try await client.send("GET", stack.link(id, "c2pa.jpg", expires: now + 600)).status == 200)
            let link = try stack.link(id, "c2pa.jpg", expires: now + 600)
            let query = try #require(link.firstIndex(of: "?")).utf16Offset(in: link)
            APIRefusal.forbidden.expectEnvelope(
                try await client.send("GET", "/media/\(other)/c2pa.jpg" + link.dropFirst(query)), "another capture")
            APIRefusal.forbidden.expectEnvelope(
                try await client.send("GET", "/media/\(id)/depth-preview.png" + link.dropFirst(query)), "another name")
            APIRefusal.forbidden.expectEnvelope(
                try await client.send("GET", stack.link(id, "c2pa.jpg", expires: now + 3700)), "too far ahead")
            APIRefusal.gone.expectEnvelope(try await client.send("GET", stack.link(id, "c2pa.jpg", expires: now - 2)))
            for name in ["original.jpg", "depth.gz", "metadata.json", "..%2f..%2foriginal.jpg"] {
                APIRefusal.notFound.expectEnvelope(try await client.send("GET", stack.link(id, name, expires: now + 600)), name)
            }
        }

        @Test("a request id that is a UUID is kept, another is replaced")
        func requestID() async throws {
            let client = try TestClient.current()
            let id = UUID().uuidString
            let kept = try await client.send("GET", "/api/v1/devices/challenge", headers: [("X-Request-Id", id)])
            #expect(kept.headers["x-request-id"] == id.lowercased())
            #expect((kept.json["meta"] as? [String: Any])?["request_id"] as? String == id.lowercased())
            for given in ["", "not-a-uuid", id + id] {
                let made = try await client.send("GET", "/api/v1/devices/challenge", headers: [("X-Request-Id", given)])
                #expect(UUID(uuidString: made.headers["x-request-id"] ?? "") != nil && made.headers["x-request-id"] != given)
            }
        }

        @Test("health names every dependency, without the envelope")
        func health() async throws {
            let answer = try await TestClient.current().send("GET", "/health")
            #expect(answer.status == 200)
            #expect(Set(answer.json.keys) == ["status", "database", "broker", "storage", "version"])
            #expect(answer.json["status"] as? String == "ok")
            for name in ["database", "broker", "storage"] { #expect(answer.json[name] as? String == "connected") }
        }

        @Test("a challenge is 32 random bytes for five minutes")
        func challenges() async throws {
            let client = try TestClient.current()
            var seen: Set<[UInt8]> = []
            for _ in 0..<20 { seen.insert(try await client.challenge()) }
            #expect(seen.count == 20 && seen.allSatisfy { $0.count == 32 })
            let before = Date()
            let answer = try await client.send("GET", "/api/v1/devices/challenge")
            let after = Date()
            let text = try #require(answer.data["expires_at"] as? String)
            let strategy = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
            let issuedAt = try Date(text, strategy: strategy).addingTimeInterval(-300)
            #expect((before.addingTimeInterval(-1)...after.addingTimeInterval(1)).contains(issuedAt))
            #expect(answer.headers["cache-control"] == "no-store")
        }
    }
}
