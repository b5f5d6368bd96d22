import CaptureProtocol
import Foundation
import ObjectStorage
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("How resumable uploads end")
    struct ResumableEnds {

        @Test("a device that was revoked meanwhile is refused at the end, and nothing stays", .timeLimit(.minutes(4)))
        func revoked() async throws {
            let (client, stack) = (try TestClient.current(), try LocalStack.required())
            var body = try await ResumableBody(client)
            let path = try await body.created(at: client)
            #expect(try await client.append(body.bytes, to: path, at: 0, isComplete: false).status == 204)
            let (admin, token) = try stack.administration()
            #expect(try await admin.send("POST", "/devices/\(try #require(body.device.deviceID))/revoke", headers: token).status == 200)
            APIRefusal.deviceRevoked.expectEnvelope(try await client.append([], to: path, at: body.bytes.count, isComplete: true))
            try await expectNothing(of: body, path)
        }

        @Test(
            "other bytes than the signed ones are refused, nothing is recorded and nothing stays", .timeLimit(.minutes(4)),
            arguments: ["in a photo", "in what separates the parts"])
        func otherBytes(place: String) async throws {
            let client = try TestClient.current()
            var body = try await ResumableBody(client)
            let path = try await body.created(at: client)
            var other = body.bytes
            other[place == "in a photo" ? other.count / 2 : 3] ^= 1
            APIRefusal.digestMismatch.expectEnvelope(try await client.append(other, to: path, at: 0, isComplete: true))
            try await expectNothing(of: body, path)
            // The same may be begun anew.
            let again = try await body.created(at: client)
            #expect(try await client.append(body.bytes, to: again, at: 0, isComplete: true).status == 201)
        }

        @Test("a body that is no capture is refused as in a plain upload", .timeLimit(.minutes(4)))
        func invalid() async throws {
            let client = try TestClient.current()
            var body = try await ResumableBody(client, form: [FormPart("photo", [0xff, 0xd8, 0xff])])
            let path = try await body.created(at: client)
            APIRefusal.validationError.expectEnvelope(try await client.append(body.bytes, to: path, at: 0, isComplete: true))
            try await expectNothing(of: body, path)
        }

        @Test("a limit at the end leaves the upload open, and an empty request completes it later", .timeLimit(.minutes(4)))
        func limited() async throws {
            let stack = try LocalStack.required()
            let client = try await stack.startGateway(
                6,
                settings: [
                    "RIAL_LIMIT_CAPTURES_PER_HOUR": "1", "RIAL_LIMIT_CAPTURES_BURST": "1", "RIAL_LIMIT_CAPTURES_PER_ADDRESS_HOUR": "0",
                ])
            var first = try await ResumableBody(client)
            var second = try await ResumableBody(client, device: first.device)
            let paths = [try await first.created(at: client), try await second.created(at: client)]
            #expect(try await client.append(first.bytes, to: paths[0], at: 0, isComplete: true).status == 201)
            APIRefusal.rateLimited.expectEnvelope(try await client.append(second.bytes, to: paths[1], at: 0, isComplete: true))
            #expect(try await client.offset(of: paths[1]) == second.bytes.count)
            // A third is refused before its creation.
            var third = try await ResumableBody(client, device: first.device)
            let refused = try await client.send(
                "POST", TestClient.captures, headers: third.creation(isComplete: false) + [("Content-Length", "0")])
            APIRefusal.rateLimited.expectEnvelope(refused)
            _ = try await stack.sql("DELETE FROM rate_limits WHERE bucket = 'capture:\(first.device.deviceID ?? "")'")
            #expect(try await client.append([], to: paths[1], at: second.bytes.count, isComplete: true).status == 201)
            try await stack.control("stop", "gateway", 6)
        }

        @Test("the same body again is found: its offset before, its capture after the end", .timeLimit(.minutes(4)))
        func again() async throws {
            let client = try TestClient.current()
            var body = try await ResumableBody(client)
            let first = try await body.created(at: client)
            #expect(try await client.append(Array(body.bytes.prefix(500)), to: first, at: 0, isComplete: false).status == 204)
            let answer = try await client.send(
                "POST", TestClient.captures, headers: body.creation(isComplete: false) + [("Content-Length", "0")])
            #expect(answer.status == 201 && answer.headers["upload-offset"] == "500" && answer.headers["upload-complete"] == "?0")
            let second = try body.path(of: answer.headers)
            #expect(second != first)
            APIRefusal.notFound.expectEnvelope(try await client.append([1], to: first, at: 500, isComplete: false))
            let done = try await client.append(Array(body.bytes.dropFirst(500)), to: second, at: 500, isComplete: true)
            let id = try #require(done.data["capture_id"] as? String)

            // Answered although no byte of the body is sent.
            let exchange = try RawExchange(client)
            let fields = try body.creation(isComplete: true) + [("Content-Length", "\(body.bytes.count)")]
            try await exchange.send(ResumableBody.head("POST", TestClient.captures, fields))
            let known = try await exchange.response(200)
            #expect(String(decoding: known.body, as: UTF8.self).contains(id) && known.headers["upload-complete"] == "?1")
            #expect(known.headers["content-location"] == "\(TestClient.captures)/\(id)")
            #expect(try await client.send("GET", body.path(of: known.headers)).data["capture_id"] as? String == id)
            #expect(try await LocalStack.required().captures(of: body.device) == 1)
        }

        @Test("a device has at most ten open ones", .timeLimit(.minutes(4)))
        func ten() async throws {
            let client = try TestClient.current()
            let device = try await client.device()
            var last = ""
            for number in 0..<11 {
                var body = try await ResumableBody(client, device: device, form: [FormPart("photo", [UInt8(number)])])
                let answer = try await client.send(
                    "POST", TestClient.captures, headers: body.creation(isComplete: false) + [("Content-Length", "0")])
                if number < 10 {
                    #expect(answer.status == 201)
                    last = try body.path(of: answer.headers)
                } else {
                    APIRefusal.rateLimited.expectEnvelope(answer)
                    #expect((80_000...86_400).contains(Int(answer.headers["retry-after"] ?? "") ?? 0))
                    #expect(try await client.send("DELETE", last).status == 204)
                    #expect(try await !body.created(at: client).isEmpty)
                }
            }
        }

        @Test("a device may create and cancel ten for each capture that it may send", .timeLimit(.minutes(4)))
        func creations() async throws {
            let stack = try LocalStack.required()
            let client = try await stack.startGateway(
                6,
                settings: [
                    "RIAL_LIMIT_CAPTURES_PER_HOUR": "1", "RIAL_LIMIT_CAPTURES_BURST": "1", "RIAL_LIMIT_CAPTURES_PER_ADDRESS_HOUR": "0",
                ])
            var body = try await ResumableBody(client)
            for _ in 0..<10 { #expect(try await client.send("DELETE", body.created(at: client)).status == 204) }
            let refused = try await client.send(
                "POST", TestClient.captures, headers: body.creation(isComplete: false) + [("Content-Length", "0")])
            APIRefusal.rateLimited.expectEnvelope(refused)
            #expect(refused.headers["ratelimit-limit"] == "10")
            let device = try #require(body.device.deviceID)
            #expect(try await stack.sql("SELECT count(*) FROM intakes WHERE device_id = '\(device)'") == ["0"])
            try await stack.control("stop", "gateway", 6)
        }

        @Test("abandoned ones are gone from database and store after their time", .timeLimit(.minutes(8)))
        func abandoned() async throws {
            let (client, stack) = (try TestClient.current(), try LocalStack.required())
            let count = FaultTests.isFull ? 1000 : 150
            let device = try #require(try await client.device().deviceID)
            let ids = try await stack.sql(
                """
                INSERT INTO uploads (id, type, token_sha256, device_id, interop_version, content_type, body_sha256, length_bytes,
                    offset_bytes, runner, running_since, created_at, expires_at)
                SELECT id, 'photo', sha256(('t' || id)::bytea), '\(device)', 8, 'multipart/form-data; boundary=x', sha256(id::text::bytea),
                    100, 3, gen_random_uuid(), now() - interval '25 hours', now() - interval '25 hours', now() - interval '1 hour'
                FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, \(count))) AS ids RETURNING id
                """)
            _ = try await stack.sql(
                """
                INSERT INTO upload_segments SELECT id, 0, 3, 'incoming/' || id || '/body/0-1' FROM uploads WHERE device_id = '\(device)'
                """)
            let storage = try stack.storage()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        for id in stride(from: worker, to: ids.count, by: 8).map({ ids[$0] }) {
                            try await storage.put("incoming/\(id)/body/0-1", bytes: [1, 2, 3], contentType: "application/octet-stream")
                        }
                    }
                }
                try await group.waitForAll()
            }
            // A gateway cleans when it starts, then every ten minutes.
            _ = try await stack.startGateway(6, settings: [:])
            try await eventually(within: .seconds(120), "they are emptied") {
                try await stack.sql("SELECT count(*) FROM uploads WHERE device_id = '\(device)' AND emptied_at IS NULL") == ["0"]
            }
            let left = try await storage.list(prefix: "incoming/").objects.map(\.key)
            #expect(!left.contains { key in ids.contains { key.contains($0) } })
            #expect(
                try await stack.sql("SELECT count(*) FROM upload_segments WHERE object_key LIKE '%/body/0-1' AND size_bytes = 3") == ["0"])
            try await stack.control("stop", "gateway", 6)
            _ = try await stack.sql("UPDATE uploads SET expires_at = now() WHERE device_id = '\(device)'")
            _ = try await stack.startGateway(6, settings: [:])
            try await eventually(within: .seconds(60), "they are forgotten") {
                try await stack.sql("SELECT count(*) FROM uploads WHERE device_id = '\(device)'") == ["0"]
            }
            try await stack.control("stop", "gateway", 6)
        }

        @Test("while a body is sent to a known address, a fault of ours ends the connection, not the upload", .timeLimit(.minutes(5)))
        func fault() async throws {
            let (client, stack) = (try TestClient.current(), try LocalStack.required())
            var body = try await ResumableBody(client)
            var path = ""
            try await stack.without("s3") {
                let exchange = try RawExchange(client)
                let length = [("Content-Length", "\(body.bytes.count)")]
                try await exchange.send(
                    ResumableBody.head("POST", TestClient.captures, try body.creation(isComplete: true) + length) + body.bytes)
                path = try body.path(of: try await exchange.response(104).headers)
                let second = try RawExchange(client)
                try await eventually("the connection ends") {
                    _ = exchange.responses()
                    return exchange.socket.isEnded
                }
                #expect(exchange.responses().map(\.status) == [104])
                try await second.send(
                    ResumableBody.head("PATCH", path, TestClient.appending(at: 0, isComplete: true) + length) + body.bytes)
                try await eventually("the second connection ends") {
                    _ = second.responses()
                    return second.socket.isEnded
                }
                #expect(second.responses().isEmpty)
            }
            let offset = try await client.offset(of: path)
            let answer = try await client.append(Array(body.bytes.dropFirst(offset)), to: path, at: offset, isComplete: true)
            #expect(answer.status == 201, "\(answer.text)")
        }

        @Test("an address is in no log and no metric", .timeLimit(.minutes(4)))
        func secret() async throws {
            let stack = try LocalStack.required()
            let client = try await stack.startGateway(6, settings: ["RIAL_LOG_LEVEL": "trace"])
            var body = try await ResumableBody(client)
            let path = try await body.created(at: client)
            _ = try await client.append([1], to: path, at: 5, isComplete: true)
            #expect(try await client.append(body.bytes, to: path, at: 0, isComplete: true).status == 201)
            let token = try #require(path.split(separator: "/").last)
            let log = try String(contentsOf: stack.folder.appendingPathComponent("logs/gateway.6.log"), encoding: .utf8)
            #expect(!log.isEmpty && !log.contains(token))
            let metrics = try await stack.client(of: "gateway", 6, .admin).send("GET", "/metrics").text
            #expect(!metrics.contains(token) && metrics.contains("route=\"/api/v1/uploads/{token}\""))
            #expect(metrics.contains("rial_uploads_refused_total{reason=\"upload_offset_mismatch\"}"))
            try await stack.control("stop", "gateway", 6)
        }

        private func expectNothing(of body: ResumableBody, _ path: String) async throws {
            let (client, stack) = (try TestClient.current(), try LocalStack.required())
            APIRefusal.gone.expectEnvelope(try await client.append([], to: path, at: body.bytes.count, isComplete: true))
            #expect(try await stack.captures(of: body.device) == 0)
            try await stack.expectNoSegments(of: body.device, "a refusal")
            try await eventually("no intake is left") {
                let rows = "SELECT count(*) FROM intakes WHERE device_id = '\(body.device.deviceID ?? "")' AND prefix LIKE 'captures/%'"
                return try await stack.sql(rows) == ["0"]
            }
        }
    }
}
