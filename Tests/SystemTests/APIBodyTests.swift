import AsyncHTTPClient
import CaptureProtocol
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import ObjectStorage
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("Upload bodies over the API")
    struct APIBodies {
        /// The head of a signed upload for a raw connection, without the fields that give its length.
        private func head(_ device: inout SimulatedDevice, _ body: [UInt8]) throws -> String {
            let signed = try device.requestHeaders(
                method: "POST", path: TestClient.captures, bodyDigest: ContentDigest(of: body))
            let lines =
                ["POST \(TestClient.captures) HTTP/1.1", "Host: localhost"] + signed.map { "\($0.name): \($0.value)" }
                + ["Content-Type: multipart/form-data; boundary=\(TestClient.boundary)"]
            return lines.joined(separator: "\r\n") + "\r\n"
        }

        /// Expects no record of the device's captures, and only objects of recorded captures in the store.
        private func expectNoTrace(of device: SimulatedDevice, _ what: String) async throws {
            let stack = try LocalStack.required()
            let storage = try stack.storage()
            #expect(try await stack.sql("SELECT count(*) FROM captures WHERE device_id = '\(device.deviceID ?? "")'") == ["0"], "\(what)")
            try await eventually("the store is clean after \(what)") {
                let known = Set(
                    try await stack.sql("SELECT id FROM captures UNION SELECT brings FROM intakes WHERE brings IS NOT NULL").map {
                        $0.lowercased()
                    })
                let keys = try await storage.list(prefix: "captures/").objects.map(\.key)
                return keys.allSatisfy { key in key.split(separator: "/").dropFirst().first.map { known.contains(String($0)) } ?? false }
            }
        }

        @Test("an upload that stalls ends after the idle timeout and leaves nothing", .timeLimit(.minutes(4)))
        func stalled() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let body = TestClient.encode(try CaptureParts().form(assertion: nil))
            let bytes = Array((try head(&device, body) + "Content-Length: \(body.count)\r\n\r\n").utf8) + body.prefix(body.count / 2)
            let start = ContinuousClock.now
            let end = try await RawConnection.exchange(port: client.port, bytes, closing: false, seconds: 30)
            #expect(end.isClosed && !end.answer.contains(" 201 "))
            // The stack's timeout is 4 s.
            #expect((.seconds(3)...(.seconds(20))).contains(ContinuousClock.now - start))
            try await expectNoTrace(of: device, "a stalled upload")
        }

        @Test("a client that waits before it sends is told to once its body is read, and not if it is refused", .timeLimit(.minutes(4)))
        func awaited() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let body = TestClient.encode(try client.soundForm(&device, CaptureParts()))
            let head = try head(&device, body)
            let rest = "Content-Length: \(body.count)\r\nExpect: 100-continue\r\n\r\n"
            let exchange = try RawExchange(client)
            try await exchange.send(Array((head + rest).utf8))
            _ = try await exchange.response(100)
            try await exchange.send(body)
            _ = try await exchange.response(201)
            #expect(exchange.responses().map(\.status) == [100, 201])

            let unsigned = try RawExchange(client)
            let type = "Content-Type: multipart/form-data; boundary=\(TestClient.boundary)\r\n"
            try await unsigned.send(Array("POST \(TestClient.captures) HTTP/1.1\r\nHost: localhost\r\n\(type)\(rest)".utf8))
            let refused = try await unsigned.response(401)
            #expect(unsigned.responses().count == 1 && refused.headers["connection"] == "close")

            // HTTP/1.0 has no interim responses.
            let earlier = try RawExchange(client)
            try await earlier.send(Array((head.replacing("HTTP/1.1", with: "HTTP/1.0") + rest).utf8) + body)
            _ = try await earlier.response(200)
            #expect(earlier.responses().map(\.status) == [200])
        }

        @Test("a connection ends after a request of HTTP/1.0, and one that asks for it in any spelling", .timeLimit(.minutes(4)))
        func lastRequest() async throws {
            let stack = try LocalStack.required()
            // So long that the idle timeout does not end them.
            let client = try await stack.startGateway(4, settings: ["RIAL_HTTP_IDLE_TIMEOUT_SECONDS": "120"])
            for last in ["HTTP/1.0", "HTTP/1.1\r\nConnection: Close", "HTTP/1.1\r\nConnection: TE, close"] {
                let request = Array("GET /health \(last)\r\nHost: localhost\r\n\r\n".utf8)
                let end = try await RawConnection.exchange(port: client.port, request, closing: false, seconds: 20)
                #expect(end.isClosed && end.answer.hasPrefix("HTTP/1.1 200"), "\(last): \(end.answer)")
            }
            try await stack.control("stop", "gateway", 4)
        }

        @Test("an upload that ends early is refused and leaves nothing", .timeLimit(.minutes(4)))
        func truncated() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let body = TestClient.encode(try CaptureParts().form(assertion: nil))
            let head = try head(&device, body)
            // Fewer bytes than announced, then the end of the connection; and a valid length with an incomplete body.
            let half = Array((head + "Content-Length: \(body.count)\r\n\r\n").utf8) + body.prefix(body.count / 2)
            let first = try await RawConnection.exchange(port: client.port, half, closing: true, seconds: 30)
            #expect(first.isClosed && !first.answer.contains(" 201 "))
            let cut = Array(body.dropLast(30))
            let whole = Array((try self.head(&device, cut) + "Connection: close\r\nContent-Length: \(cut.count)\r\n\r\n").utf8) + cut
            let second = try await RawConnection.exchange(port: client.port, whole, closing: false, seconds: 30)
            #expect(second.answer.hasPrefix("HTTP/1.1 400") && second.answer.contains("VALIDATION_ERROR"), "\(second.answer)")
            try await expectNoTrace(of: device, "truncated uploads")
        }

        @Test("a false Content-Length has no effect on others", .timeLimit(.minutes(4)))
        func lying() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let body = TestClient.encode(try CaptureParts().form(assertion: nil))
            let head = try head(&device, body)
            let lies = [
                ("Content-Length: \(body.count - 40)", "shorter than the body"), ("Content-Length: -1", "negative"),
                ("Content-Length: 99999999999999999999999", "beyond all integers"), ("Content-Length: 1e3", "no integer"),
                ("Content-Length: \(body.count)\r\nContent-Length: \(body.count + 1)", "two of them"),
                ("Content-Length: \(body.count)\r\nTransfer-Encoding: chunked", "beside chunks"),
            ]
            for (line, what) in lies {
                let bytes = Array((head + "Connection: close\r\n\(line)\r\n\r\n").utf8) + body
                let answer = try await RawConnection.exchange(port: client.port, bytes, closing: true, seconds: 30)
                #expect(answer.isClosed, "\(what)")
                #expect(!answer.answer.contains(" 201 ") && !answer.answer.contains(" 500 "), "\(what): \(answer.answer)")
            }
            try await expectNoTrace(of: device, "lying lengths")
            #expect(try await client.send("GET", "/health").status == 200)
        }

        @Test("20 MiB are enough, declared or not: the declared length is refused before the body is read")
        func oversized() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let head = try head(&device, [])
            let bytes = Array((head + "Connection: close\r\nContent-Length: \((20 << 20) + 1)\r\n\r\n").utf8)
            let declared = try await RawConnection.exchange(port: client.port, bytes, closing: false, seconds: 30)
            #expect(declared.answer.hasPrefix("HTTP/1.1 413") && declared.answer.contains("PAYLOAD_TOO_LARGE"), "\(declared.answer)")

            var parts = try CaptureParts()
            parts.photo += [UInt8](repeating: 0, count: 20 << 20)
            let body = TestClient.encode(parts.form(assertion: nil))
            var request = HTTPClientRequest(url: client.url + TestClient.captures)
            request.method = .POST
            for (name, value) in try device.requestHeaders(
                method: "POST", path: TestClient.captures, bodyDigest: ContentDigest(of: body))
            {
                request.headers.add(name: name, value: value)
            }
            request.headers.add(name: "Content-Type", value: "multipart/form-data; boundary=\(TestClient.boundary)")
            request.body = .bytes(body, length: .unknown)
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            #expect(response.status.code == 413)
            _ = try await response.body.collect(upTo: 1 << 20)
            try await expectNoTrace(of: device, "oversized uploads")
        }

        @Test(
            "parts come in any order, names of files are only names, and unknown small parts are passed over",
            arguments: [
                "a\u{0}b.jpg", "../../../../etc/passwd", "..\\..\\boot.ini", "/etc/shadow", "C:\\x.jpg", "\u{202e}gpj.exe", "%2e%2e%2f",
                String(repeating: "x", count: 2000),
            ])
        func names(name: String) async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            var form = Array(try client.soundForm(&device, CaptureParts()).reversed())
            let photo = form.count - 1
            form[photo] = FormPart("photo", form[photo].bytes, filename: name)
            form.insert(FormPart("comment", Array("hello".utf8)), at: 1)
            let answer = try await client.submit(&device, form)
            guard !name.contains("\0") else {
                // A part's header with NUL is malformed.
                APIRefusal.validationError.expectEnvelope(answer, name.debugDescription)
                return
            }
            #expect(answer.status == 201, "\(name.debugDescription): \(answer.text)")
            let id = try #require(answer.data["capture_id"] as? String)
            let view = try await client.settled(id)
            #expect(view.data["confidence_level"] as? String == "high", "\(view.text)")
            let keys = try await LocalStack.required().storage().list(prefix: "").objects.map(\.key)
            #expect(keys.allSatisfy { key in ["captures/", "probes/", "log/"].contains { key.hasPrefix($0) } })
        }

        @Test("the gateway's memory does not grow with concurrent uploads", .timeLimit(.minutes(5)))
        func memory() async throws {
            let stack = try LocalStack.required()
            // So long that no body stalls for it on a busy machine.
            let client = try await stack.startGateway(4, settings: ["RIAL_HTTP_IDLE_TIMEOUT_SECONDS": "60"])
            let device = try await client.device()
            // The first upload allocates what a gateway allocates once.
            var other = try await client.device()
            _ = try await client.capture(&other, try CaptureParts())
            let before = try residentMiB()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var own = device
                        var parts = try CaptureParts()
                        parts.photo += [UInt8](repeating: 0, count: 19 << 20)
                        // The signed hash no longer matches the photo: the body is read to its end, then rejected.
                        let answer = try await client.submit(&own, parts.form(assertion: nil))
                        APIRefusal.invalidMetadata.expectEnvelope(answer)
                    }
                }
                try await group.waitForAll()
            }
            let peak = try residentMiB(peak: true)
            print("gateway: \(before) MiB before eight uploads of 19 MiB at once, \(peak) MiB at most")
            // Two parts of 5 MiB per upload, and the buffers of sockets and allocator; less than the photos.
            #expect(peak < before + 8 * 16, "\(before) MiB before, \(peak) MiB at most")
            try await expectNoTrace(of: device, "refused uploads")
            try await stack.control("stop", "gateway", 4)
        }

        private func residentMiB(peak: Bool = false) throws -> Int {
            let stack = try LocalStack.required()
            let pid = try stack.processID(of: "gateway.4")
            // Writing 5 resets the peak to the current resident size (proc(5)).
            if !peak { try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/\(pid)/clear_refs")) }
            let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(peak ? "VmHWM:" : "VmRSS:") })
            return try #require(line.split(separator: " ").compactMap { Int($0) }.first) / 1024
        }
    }
}
