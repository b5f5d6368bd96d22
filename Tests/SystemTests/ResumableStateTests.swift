import CaptureProtocol
import Foundation
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("Who goes on with a resumable upload, and where")
    struct ResumableStates {
        private static func partly(_ client: TestClient, _ count: Int = 1000) async throws -> (ResumableBody, String) {
            var body = try await ResumableBody(client)
            let path = try await body.created(at: client)
            let answer = try await client.append(Array(body.bytes.prefix(count)), to: path, at: 0, isComplete: false)
            #expect(answer.status == 204 && answer.headers["upload-offset"] == "\(count)" && answer.headers["upload-complete"] == "?0")
            return (body, path)
        }

        @Test("a wrong offset is told the right one", .timeLimit(.minutes(4)))
        func offsets() async throws {
            let client = try TestClient.current()
            let (body, path) = try await Self.partly(client)
            for wrong in [0, 999, 1001, 10_000_000] {
                let answer = try await client.append([1], to: path, at: wrong, isComplete: false)
                APIRefusal.uploadOffsetMismatch.expectEnvelope(answer)
                #expect(answer.headers["upload-offset"] == "1000")
                let problem = try await client.append(
                    [1], to: path, at: wrong, isComplete: false, more: [("Accept", "application/problem+json")])
                APIRefusal.uploadOffsetMismatch.expectProblem(problem)
                #expect(problem.json["type"] as? String == "https://iana.org/assignments/http-problem-types#mismatching-upload-offset")
                #expect(problem.json["expected-offset"] as? Int == 1000 && problem.json["provided-offset"] as? Int == wrong)
            }
            #expect(try await client.append(Array(body.bytes.dropFirst(1000)), to: path, at: 1000, isComplete: true).status == 201)
        }

        @Test("fields that are missing or malformed, and lengths that contradict each other, change nothing", .timeLimit(.minutes(4)))
        func fields() async throws {
            let client = try TestClient.current()
            let (body, path) = try await Self.partly(client)
            let rest = Array(body.bytes.dropFirst(1000))
            let sound = TestClient.appending(at: 1000, isComplete: true)
            for (name, value, code) in [
                ("Upload-Offset", nil, APIRefusal.validationError), ("Upload-Offset", "x", .validationError),
                ("Upload-Complete", "yes", .validationError), ("Content-Type", "text/plain", .unsupportedMediaType),
                ("Upload-Draft-Interop-Version", "2", .validationError),
            ] as [(String, String?, APIRefusal)] {
                let fields = sound.filter { $0.0 != name } + (value.map { [(name, $0)] } ?? [])
                code.expectEnvelope(try await client.send("PATCH", path, headers: fields, body: rest), name)
            }
            let longer = sound + [("Upload-Length", "\(body.bytes.count + 1)")]
            APIRefusal.uploadLengthInconsistent.expectEnvelope(try await client.send("PATCH", path, headers: longer, body: rest))
            let short = try await client.append(Array(rest.dropLast()), to: path, at: 1000, isComplete: true)
            APIRefusal.uploadLengthInconsistent.expectEnvelope(short)
            APIRefusal.uploadIncomplete.expectEnvelope(try await client.send("GET", path))
            #expect(try await client.offset(of: path) == 1000)
            // Without the field the body ends with the request.
            let answer = try await client.send("PATCH", path, headers: sound.filter { $0.0 != "Upload-Complete" }, body: rest)
            #expect(answer.status == 201)
        }

        @Test("bytes beyond the length end the upload", .timeLimit(.minutes(4)), arguments: [true, false])
        func beyond(isDeclared: Bool) async throws {
            let client = try TestClient.current()
            let (body, path) = try await Self.partly(client)
            let bytes = Array(body.bytes.dropFirst(1000)) + [0]
            if isDeclared {
                APIRefusal.uploadLengthInconsistent.expectEnvelope(try await client.append(bytes, to: path, at: 1000, isComplete: true))
            } else {
                let exchange = try RawExchange(client)
                let fields = TestClient.appending(at: 1000, isComplete: true) + [("Transfer-Encoding", "chunked")]
                let chunk = Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n0\r\n\r\n".utf8)
                try await exchange.send(ResumableBody.head("PATCH", path, fields) + chunk)
                #expect(String(decoding: try await exchange.response(400).body, as: UTF8.self).contains("UPLOAD_LENGTH_INCONSISTENT"))
            }
            APIRefusal.gone.expectEnvelope(try await client.append([1], to: path, at: 1000, isComplete: false))
            try await LocalStack.required().expectNoSegments(of: body.device, "too many bytes")
        }

        @Test("after completion, DELETE and expiry nothing is appended", .timeLimit(.minutes(4)))
        func closed() async throws {
            let client = try TestClient.current()
            let stack = try LocalStack.required()
            let (body, done) = try await Self.partly(client)
            let answer = try await client.append(Array(body.bytes.dropFirst(1000)), to: done, at: 1000, isComplete: true)
            let location = try #require(answer.headers["content-location"])
            let late = [
                try await client.append([1], to: done, at: body.bytes.count, isComplete: true), try await client.send("DELETE", done),
            ]
            for answer in late {
                APIRefusal.uploadCompleted.expectEnvelope(answer)
                #expect(answer.headers["content-location"] == location)
            }

            let (cancelledBody, cancelled) = try await Self.partly(client)
            #expect(try await client.send("DELETE", cancelled).status == 204)
            try await stack.expectNoSegments(of: cancelledBody.device, "DELETE")
            let (expiredBody, expired) = try await Self.partly(client)
            _ = try await stack.sql("UPDATE uploads SET expires_at = now() WHERE device_id = '\(expiredBody.device.deviceID ?? "")'")
            for path in [cancelled, expired] {
                for method in ["HEAD", "GET", "DELETE"] { #expect(try await client.send(method, path).status == 410, "\(method)") }
                APIRefusal.gone.expectEnvelope(try await client.append([1], to: path, at: 1000, isComplete: false))
            }
            let unknown = "/api/v1/uploads/" + String(repeating: "A", count: 43)
            for path in [unknown, unknown + "A", "/api/v1/uploads/x"] {
                APIRefusal.notFound.expectEnvelope(try await client.append([1], to: path, at: 0, isComplete: false))
            }
        }

        @Test("of two that append at once one makes the capture, which there is once", .timeLimit(.minutes(4)))
        func two() async throws {
            let client = try TestClient.current()
            let (body, path) = try await Self.partly(client)
            let rest = Array(body.bytes.dropFirst(1000))
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<2 { group.addTask { try await client.append(rest, to: path, at: 1000, isComplete: true) } }
                return try await group.reduce(into: [Answer]()) { $0.append($1) }
            }
            let statuses = answers.map(\.status).sorted()
            // Who comes after the end is told that there is nothing to append.
            #expect([[200, 201], [201, 201], [201, 400], [201, 409]].contains(statuses), "\(statuses)")
            #expect(try await LocalStack.required().captures(of: body.device) == 1)
            for answer in answers where answer.status == 409 {
                let offset = try #require(answer.headers["upload-offset"].flatMap { Int($0) })
                #expect((1000...body.bytes.count).contains(offset))
            }
        }

        @Test("of two that append the later goes on, and the earlier, which brought nothing, is told the offset", .timeLimit(.minutes(4)))
        func overtaken() async throws {
            let client = try TestClient.current()
            let (body, path) = try await Self.partly(client)
            let rest = Array(body.bytes.dropFirst(1000))
            let earlier = try RawExchange(client)
            let fields = TestClient.appending(at: 1000, isComplete: true) + [("Content-Length", "\(rest.count)")]
            try await earlier.send(ResumableBody.head("PATCH", path, fields))
            try await Self.expectUnderWay(body)
            #expect(try await client.append(rest, to: path, at: 1000, isComplete: true).status == 201)
            let told = try await earlier.response(409)
            #expect(String(decoding: told.body, as: UTF8.self).contains("UPLOAD_OFFSET_MISMATCH"))
            let offset = try #require(told.headers["upload-offset"].flatMap { Int($0) })
            #expect((1000...body.bytes.count).contains(offset))
            #expect(try await LocalStack.required().captures(of: body.device) == 1)
        }

        @Test("a request that still adds to an upload is told when it is cancelled", .timeLimit(.minutes(4)))
        func cancelled() async throws {
            let client = try TestClient.current()
            let (body, path) = try await Self.partly(client)
            let adding = try RawExchange(client)
            let fields = TestClient.appending(at: 1000, isComplete: true) + [("Content-Length", "\(body.bytes.count - 1000)")]
            try await adding.send(ResumableBody.head("PATCH", path, fields))
            try await Self.expectUnderWay(body)
            #expect(try await client.send("DELETE", path).status == 204)
            let told = try await adding.response(410)
            #expect(String(decoding: told.body, as: UTF8.self).contains("GONE"))
        }

        /// Waits until a request goes on with the device's upload.
        private static func expectUnderWay(_ body: ResumableBody) async throws {
            let stack = try LocalStack.required()
            try await eventually("the request is under way") {
                try await stack.sql("SELECT count(*) FROM uploads WHERE runner IS NOT NULL AND device_id = '\(body.device.deviceID ?? "")'")
                    == ["1"]
            }
        }

        @Test(
            "a stalled request is overtaken by HEAD, keeps what came, and is told the offset", .timeLimit(.minutes(4)), arguments: [1, 2])
        func stalled(gateway number: Int) async throws {
            let client = try TestClient.current()
            let stack = try LocalStack.required()
            // Which ends no stalled request by itself meanwhile. The one that overtakes may be another gateway.
            let other = try await stack.startGateway(6, settings: ["RIAL_HTTP_IDLE_TIMEOUT_SECONDS": "120"])
            let overtaking = number == 1 ? other : client
            let (body, path) = try await Self.partly(client)
            let exchange = try RawExchange(other)
            let fields = TestClient.appending(at: 1000, isComplete: true) + [("Content-Length", "\(body.bytes.count - 1000)")]
            try await exchange.send(ResumableBody.head("PATCH", path, fields) + body.bytes[1000..<9000])
            try await Self.expectUnderWay(body)
            let start = ContinuousClock.now
            #expect(try await overtaking.offset(of: path) == 9000)
            // A body that comes too slowly is cut after 15 s.
            #expect(ContinuousClock.now - start < .seconds(12))
            let overtaken = try await exchange.response(409)
            #expect(overtaken.headers["upload-offset"] == "9000")
            // The connection is closed: nobody knows where its next request would begin.
            #expect(overtaken.headers["connection"] == "close")
            try await exchange.send(body.bytes[9000...])
            #expect(try await client.offset(of: path) == 9000)
            #expect(try await client.append(Array(body.bytes[9000...]), to: path, at: 9000, isComplete: true).status == 201)
            try await stack.control("stop", "gateway", 6)
        }
    }
}
