import CaptureProtocol
import Foundation
import SimulatedDevice
import Testing

extension SystemTests {
    /// In the way of URLSession: the whole body is offered, the connection breaks, `HEAD` asks for the offset, `PATCH` sends the rest.
    @Suite("Resumable uploads, as each interop version spells them")
    struct ResumableVersions {
        @Test("a body that broke off goes on where it was", .timeLimit(.minutes(5)), arguments: 3...8)
        func resumed(version: Int) async throws {
            let client = try TestClient.current()
            var body = try await ResumableBody(client, size: 1_500_000)
            let sent = 1_200_000
            var path = ""
            do {
                let exchange = try RawExchange(client)
                let fields = try body.creation(version: version, isComplete: true) + [("Content-Length", "\(body.bytes.count)")]
                try await exchange.send(ResumableBody.head("POST", TestClient.captures, fields))
                // Before a byte of the body.
                let interim = try await exchange.response(104)
                #expect(interim.headers["upload-draft-interop-version"] == "\(version)")
                let limit = try #require(interim.headers["upload-limit"])
                #expect(
                    limit.wholeMatch(of: version == 6 ? /max-size=20971520, expires=\d+/ : /max-size=20971520, max-age=\d+/) != nil,
                    "\(limit)")
                path = try body.path(of: interim.headers)
                #expect(try await exchange.send(body.bytes.prefix(sent)) == sent)
            }
            let complete = ResumableBody.completeness(version, true)
            let state = try await client.send("HEAD", path, headers: [("Upload-Draft-Interop-Version", "\(version)")])
            #expect(
                state.status == 204 && state.headers["upload-offset"] == "\(sent)"
                    && state.headers["upload-length"] == "\(body.bytes.count)")
            expect(state, ResumableBody.completeness(version, false), version)
            #expect(state.headers["cache-control"] == "no-store" && state.headers["upload-limit"] != nil)

            var fields = TestClient.appending(at: sent, isComplete: true, version: version)
            // Drafts before -04 know no type of content that is appended.
            if version < 6 { fields.removeAll { $0.0 == "Content-Type" } }
            let answer = try await client.send("PATCH", path, headers: fields, body: Array(body.bytes.dropFirst(sent)))
            #expect(answer.status == 201, "\(answer.text)")
            expect(answer, complete, version)
            let id = try #require(answer.data["capture_id"] as? String)
            #expect(answer.headers["content-location"] == "\(TestClient.captures)/\(id)")

            let after = try await client.send("HEAD", path, headers: [("Upload-Draft-Interop-Version", "\(version)")])
            expect(after, complete, version)
            #expect(
                after.headers["upload-offset"] == "\(body.bytes.count)"
                    && after.headers["content-location"] == "\(TestClient.captures)/\(id)")
            let stored = try await client.send("GET", path)
            #expect(stored.status == 200 && stored.data["capture_id"] as? String == id)
            try await LocalStack.required().expectNoSegments(of: body.device, "completion")
            _ = try await client.settled(id)
        }

        @Test("one request with the whole body is answered as a plain upload, at the upload's address", .timeLimit(.minutes(4)))
        func whole() async throws {
            let client = try TestClient.current()
            var body = try await ResumableBody(client)
            let exchange = try RawExchange(client)
            let fields = try body.creation(isComplete: true) + [("Content-Length", "\(body.bytes.count)")]
            try await exchange.send(ResumableBody.head("POST", TestClient.captures, fields) + body.bytes)
            let answer = try await exchange.response(201)
            let interim = try #require(exchange.responses().first)
            #expect(interim.status == 104 && answer.headers["location"] == interim.headers["location"])
            #expect(answer.headers["upload-complete"] == "?1" && answer.headers["upload-draft-interop-version"] == "8")
            let location = try #require(answer.headers["content-location"])
            #expect(try await client.send("GET", location).status == 200)
            #expect(try await LocalStack.required().uploads(of: body.device) == ["done \(body.bytes.count) 0"])
        }

        @Test("a client that waits before it sends is told the address, then to send", .timeLimit(.minutes(4)))
        func awaited() async throws {
            let client = try TestClient.current()
            var body = try await ResumableBody(client)
            let exchange = try RawExchange(client)
            let fields =
                try body.creation(isComplete: true) + [("Content-Length", "\(body.bytes.count)"), ("Expect", "100-continue")]
            try await exchange.send(ResumableBody.head("POST", TestClient.captures, fields))
            _ = try await exchange.response(100)
            try await exchange.send(body.bytes)
            _ = try await exchange.response(201)
            #expect(exchange.responses().map(\.status) == [104, 100, 201])
        }

        struct Plain: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let change: @Sendable (inout [(String, String)]) -> Void
        }

        static let lacking = [
            Plain(testDescription: "no digest") { $0.removeAll { $0.0 == "Repr-Digest" } },
            Plain(testDescription: "no version") { $0.removeAll { $0.0 == "Upload-Draft-Interop-Version" } },
            Plain(testDescription: "an unknown version") { $0[$0.count - 2] = ("Upload-Draft-Interop-Version", "9") },
            Plain(testDescription: "signature version 1") { $0.removeAll { $0.0 == "X-Device-Signature-Version" } },
        ]

        @Test("what lacks something is a plain upload without a 104", .timeLimit(.minutes(4)), arguments: lacking)
        func plain(sample: Plain) async throws {
            let client = try TestClient.current()
            var body = try await ResumableBody(client)
            let version = sample.testDescription == "signature version 1" ? 1 : 2
            var fields = try body.creation(isComplete: true) + [("Content-Length", "\(body.bytes.count)")]
            if version == 1 {
                let signed = try body.device.requestHeaders(method: "POST", path: TestClient.captures, bodyDigest: body.digest, version: 1)
                fields = fields.filter { !$0.0.hasPrefix("X-Device") } + signed.map { ($0.name, $0.value) }
            } else {
                sample.change(&fields)
            }
            let exchange = try RawExchange(client)
            try await exchange.send(ResumableBody.head("POST", TestClient.captures, fields) + body.bytes)
            let answer = try await exchange.response(201)
            #expect(exchange.responses().map(\.status) == [201])
            #expect(answer.headers["location"]?.hasPrefix("\(TestClient.captures)/") == true && answer.headers["upload-complete"] == nil)
            #expect(try await LocalStack.required().uploads(of: body.device).isEmpty)
        }

        @Test("what authentication refuses is refused before a byte of the body is read", .timeLimit(.minutes(4)))
        func refused() async throws {
            let client = try TestClient.current()
            let stranger = try await client.device()
            for (code, change) in [
                ("SIGNATURE_INVALID", { $0.device.deviceID = stranger.deviceID }),
                ("DEVICE_NOT_REGISTERED", { $0.device.deviceID = "\(UUID())" }),
                ("TIMESTAMP_EXPIRED", { _ in }),
            ] as [(String, (inout ResumableBody) -> Void)] {
                var body = try await ResumableBody(client)
                change(&body)
                let time = code == "TIMESTAMP_EXPIRED" ? Date(timeIntervalSinceNow: -310) : Date()
                for isComplete in [true, false] {
                    let exchange = try RawExchange(client)
                    let fields = try body.creation(isComplete: isComplete, at: time) + [("Content-Length", "\(body.bytes.count)")]
                    try await exchange.send(ResumableBody.head("POST", TestClient.captures, fields))
                    let answer = try await exchange.response(401)
                    #expect(String(decoding: answer.body, as: UTF8.self).contains(code))
                    #expect(exchange.responses().count == 1 && answer.headers["upload-draft-interop-version"] == "8")
                }
                #expect(try await LocalStack.required().uploads(of: body.device).isEmpty)
            }
            try await APIErrors.forgetFailures()
        }

        @Test("an address says what may be sent to it")
        func options() async throws {
            let answer = try await TestClient.current().send("OPTIONS", TestClient.captures)
            #expect(answer.status == 204 && answer.headers["accept-patch"] == "application/partial-upload")
            #expect(answer.headers["upload-limit"]?.hasPrefix("max-size=20971520") == true)
        }

        private func expect(_ answer: Answer, _ completeness: (String, String), _ version: Int) {
            #expect(
                answer.headers[completeness.0.lowercased()] == completeness.1
                    && answer.headers["upload-draft-interop-version"] == "\(version)")
            #expect(answer.headers[version == 3 ? "upload-complete" : "upload-incomplete"] == nil)
        }
    }
}
