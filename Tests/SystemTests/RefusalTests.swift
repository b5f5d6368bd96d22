import Crypto
import Foundation
import SimulatedDevice
import Testing

extension SystemTests {
    @Suite("Refusals of the API")
    struct Refusals {
        private func expect(_ answer: Answer, _ status: Int, _ code: String, _ what: String = "") {
            #expect(
                answer.status == status && answer.errorCode == code,
                "\(what): \(answer.status) \(String(decoding: answer.body.prefix(300), as: UTF8.self))")
            let meta = answer.json["meta"] as? [String: Any]
            #expect(meta?["request_id"] as? String == answer.headers["x-request-id"])
        }

        @Test("unknown addresses, wrong methods and unknown captures; also as application/problem+json")
        func routing() async throws {
            let client = try TestClient.current()
            expect(try await client.send("GET", "/api/v1/nothing"), 404, "NOT_FOUND")
            let wrong = try await client.send("DELETE", "/api/v1/captures")
            expect(wrong, 405, "METHOD_NOT_ALLOWED")
            #expect(wrong.headers["allow"] == "POST, OPTIONS")
            expect(try await client.show("\(UUID())"), 404, "CAPTURE_NOT_FOUND")
            expect(try await client.show("nonsense"), 404, "CAPTURE_NOT_FOUND")
            let id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
            let problem = try await client.send(
                "GET", "/api/v1/nothing", headers: [("Accept", "application/problem+json"), ("X-Request-Id", id)])
            #expect(problem.headers["content-type"]?.hasPrefix("application/problem+json") == true)
            #expect(problem.json["code"] as? String == "NOT_FOUND" && problem.json["status"] as? Int == 404)
            #expect(problem.headers["x-request-id"] == id)
        }

        @Test("malformed registrations")
        func registrations() async throws {
            let client = try TestClient.current()
            expect(try await client.register(Array("{".utf8)), 400, "VALIDATION_ERROR", "bad JSON")
            expect(try await client.register(Array(#"{"platform":"ios"}"#.utf8)), 400, "VALIDATION_ERROR", "missing fields")
            expect(try await client.register(Array(repeating: 0x5b, count: 100_000)), 400, "VALIDATION_ERROR", "nested deep")
            expect(try await client.register(Array(repeating: 0x20, count: 200_000)), 413, "PAYLOAD_TOO_LARGE")
            expect(
                try await client.send("POST", "/api/v1/devices/register", headers: [("Content-Type", "text/plain")], body: [1]), 415,
                "UNSUPPORTED_MEDIA_TYPE")
            let device = SimulatedDevice()
            let sound = try client.registration(device, challenge: [UInt8](repeating: 9, count: 32))
            expect(try await client.register(sound), 400, "CHALLENGE_INVALID", "a challenge never issued")
            var fields = try #require(try JSONSerialization.jsonObject(with: Data(sound)) as? [String: Any])
            fields["platform"] = "android"
            expect(
                try await client.register(Array(JSONSerialization.data(withJSONObject: fields))), 422, "UNSUPPORTED_PLATFORM")
            let stack = try #require(LocalStack.current)
            let challenge = try await client.challenge()
            let hex = challenge.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            _ = try await stack.sql("UPDATE challenges SET expires_at = now() - interval '1 second' WHERE challenge = '\\x\(hex)'")
            expect(try await client.register(client.registration(device, challenge: challenge)), 400, "CHALLENGE_INVALID", "expired")
        }

        @Test("requests without a valid signature")
        func authentication() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let form = try CaptureParts().form(assertion: nil)
            for name in ["X-Device-Id", "X-Device-Timestamp", "X-Device-Signature"] {
                let answer = try await client.submit(&device, form) { headers, _ in headers.removeAll { $0.0 == name } }
                expect(answer, 401, "DEVICE_AUTH_REQUIRED", "without \(name)")
            }
            func changed(_ name: String, _ value: String) async throws -> Answer {
                try await client.submit(&device, form) { headers, _ in
                    headers = headers.map { $0.0 == name ? (name, value) : $0 }
                }
            }
            expect(try await changed("X-Device-Id", "\(UUID())"), 401, "DEVICE_NOT_REGISTERED")
            expect(try await changed("X-Device-Id", "no-uuid"), 401, "DEVICE_NOT_REGISTERED")
            expect(try await changed("X-Device-Timestamp", "yesterday"), 401, "TIMESTAMP_EXPIRED")
            expect(try await changed("X-Device-Signature", "!!!"), 401, "SIGNATURE_INVALID")
            expect(try await changed("X-Device-Signature-Version", "3"), 401, "SIGNATURE_INVALID")
            for offset in [-310.0, 310] {
                let answer = try await client.submit(&device, form, at: Date().addingTimeInterval(offset))
                expect(answer, 401, "TIMESTAMP_EXPIRED", "\(offset) s")
            }
            for offset in [-290.0, 290] {
                let answer = try await client.submit(&device, CaptureParts().form(assertion: nil), at: Date().addingTimeInterval(offset))
                #expect(answer.status == 201, "\(offset) s")
            }
            var other = try await client.device()
            other.deviceID = device.deviceID
            expect(try await client.submit(&other, form), 401, "SIGNATURE_INVALID", "another device's key")
            let tampered = try await client.submit(&device, form) { _, body in body[body.count / 2] ^= 1 }
            expect(tampered, 401, "SIGNATURE_INVALID", "another body")
        }

        @Test("malformed captures")
        func bodies() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let parts = try CaptureParts()
            let form = parts.form(assertion: nil)
            for missing in 0..<3 {
                var fewer = form
                fewer.remove(at: missing)
                expect(try await client.submit(&device, fewer), 400, "VALIDATION_ERROR", "without part \(missing)")
            }
            expect(try await client.submit(&device, form + [form[0]]), 400, "VALIDATION_ERROR", "photo twice")
            expect(
                try await client.submit(&device, form + [FormPart("mystery", [UInt8](repeating: 1, count: 70_000))]), 400,
                "VALIDATION_ERROR", "large unknown part")
            expect(
                try await client.submit(&device, form + (0..<5_000).map { FormPart("p\($0)", []) }), 400, "VALIDATION_ERROR",
                "5,000 parts")
            expect(
                try await client.submit(&device, form) { headers, _ in
                    headers = headers.map { $0.0 == "Content-Type" ? ($0.0, "multipart/form-data; boundary=other") : $0 }
                }, 400, "VALIDATION_ERROR", "wrong boundary")
            expect(
                try await client.submit(&device, form) { headers, _ in
                    headers = headers.map { $0.0 == "Content-Type" ? ($0.0, "multipart/form-data") : $0 }
                }, 400, "VALIDATION_ERROR", "no boundary")
            expect(
                try await client.submit(&device, form) { headers, _ in
                    headers = headers.map { $0.0 == "Content-Type" ? ($0.0, "application/xml") : $0 }
                }, 415, "UNSUPPORTED_MEDIA_TYPE")
            var notJPEG = form
            notJPEG[0] = FormPart("photo", Array("GIF89a".utf8))
            expect(try await client.submit(&device, notJPEG), 415, "UNSUPPORTED_MEDIA_TYPE", "not a JPEG")
            var large = form
            large[0] = FormPart("photo", parts.photo + [UInt8](repeating: 0, count: 21 << 20))
            expect(try await client.submit(&device, large), 413, "PAYLOAD_TOO_LARGE")
            let names = ["a\u{0}b/../../etc/passwd", "..\\..\\x", "con\u{7f}"]
            for name in names {
                var odd = try CaptureParts().form(assertion: nil)
                odd[0] = FormPart("photo", odd[0].bytes, filename: name)
                let answer = try await client.submit(&device, odd)
                let what = "file name \(name.debugDescription)"
                if name.contains("\0") {
                    expect(answer, 400, "VALIDATION_ERROR", what)
                } else {
                    #expect(answer.status == 201, "\(what)")
                }
            }
        }

        @Test("malformed metadata, depth maps and assertions")
        func contents() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let parts = try CaptureParts()
            func submit(_ index: Int, _ bytes: [UInt8]) async throws -> Answer {
                var form = parts.form(assertion: [0xa0])
                form[index] = FormPart(["photo", "depth_map", "metadata", "assertion"][index], bytes)
                return try await client.submit(&device, form)
            }
            expect(try await submit(2, Array("{}".utf8)), 422, "INVALID_METADATA", "empty")
            expect(try await submit(2, Array("[".utf8)), 422, "INVALID_METADATA", "not JSON")
            expect(try await submit(2, [UInt8](repeating: 0x20, count: 65_537)), 422, "INVALID_METADATA", "too large")
            let lying = try CaptureParts()
            expect(try await submit(2, lying.metadata), 422, "INVALID_METADATA", "another photo's hash")
            expect(try await submit(1, Array("no depth".utf8)), 422, "INVALID_DEPTH_FORMAT")
            expect(try await submit(1, Array(parts.depth.dropLast(20))), 422, "INVALID_DEPTH_FORMAT", "truncated")
            expect(try await submit(1, try Bomb.gzipOfZeros(bytes: 1 << 30)), 422, "INVALID_DEPTH_FORMAT", "1 GB of zeros")
            expect(try await submit(3, Array("not CBOR".utf8)), 422, "INVALID_ASSERTION")
            let text = try CaptureParts(extra: ["assertion": "***"])
            expect(try await client.submit(&device, text.form(assertion: nil)), 422, "INVALID_ASSERTION", "not base64")
        }

        @Test("a JPEG that claims 65,500² pixels is accepted and crashes nothing")
        func jpegBomb() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            var parts = try CaptureParts()
            let frame = try #require(parts.photo.indices.dropLast(9).first { parts.photo[$0] == 0xff && parts.photo[$0 + 1] == 0xc0 })
            parts.photo.replaceSubrange(frame + 5..<frame + 9, with: [0xff, 0xdc, 0xff, 0xdc])
            var fields = try #require(try JSONSerialization.jsonObject(with: Data(parts.metadata)) as? [String: Any])
            fields["photo_hash"] = Data(SHA256.hash(data: parts.photo)).base64EncodedString()
            parts.metadata = Array(try JSONSerialization.data(withJSONObject: fields))
            let answer = try await client.settled(client.capture(&device, parts))
            #expect(answer.evidence("metadata.resolution.status") == "unavailable")
            let after = try await client.settled(client.capture(&device, CaptureParts()))
            #expect(after.data["confidence_level"] as? String == "high")
        }

        @Test("links that are wrong, expired or to unpublished media")
        func links() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let id = try await client.capture(&device, CaptureParts())
            let view = try await client.settled(id)
            let url = try #require(view.data["media_url"] as? String)
            let path = String(url.dropFirst(client.url.count))
            let broken = String(path.dropLast()) + (path.hasSuffix("0") ? "1" : "0")
            expect(try await client.send("GET", broken), 403, "FORBIDDEN")
            expect(try await client.send("GET", "/media/\(id)/public.jpg"), 403, "FORBIDDEN", "no signature")
            for name in ["original.jpg", "depth.gz", "metadata.json"] {
                expect(try await client.send("GET", "/media/\(id)/\(name)"), 404, "NOT_FOUND", name)
            }
            let part = try await client.send("GET", path, headers: [("Range", "bytes=0-1")])
            #expect(part.status == 206 && part.body == [0xff, 0xd8])
            #expect(try await client.send("GET", path, headers: [("Range", "bytes=99999999-")]).status == 416)
        }

        @Test("a revoked device, on every request")
        func revoked() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let stack = try #require(LocalStack.current)
            let (admin, token) = try stack.administration()
            let id = try #require(device.deviceID)
            #expect(try await admin.send("POST", "/devices/\(id)/revoke", headers: token).status == 200)
            expect(try await client.submit(&device, CaptureParts().form(assertion: nil)), 403, "DEVICE_REVOKED")
        }

        @Test("bodies that stall, end early or exceed their length")
        func brokenBodies() async throws {
            let client = try TestClient.current()
            let port = try #require(UInt16(client.url.split(separator: ":").last.map(String.init) ?? ""))
            let head = "POST /api/v1/devices/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            let stalled = Array((head + "Content-Length: 1000\r\n\r\n{").utf8)
            let quiet = try await RawConnection.exchange(port: port, stalled, closing: false, seconds: 30)
            #expect(quiet.isClosed, "a stalled upload ends after the idle timeout")
            let truncated = try await RawConnection.exchange(port: port, stalled, closing: true, seconds: 30)
            #expect(truncated.answer.hasPrefix("HTTP/1.1 400") && truncated.answer.contains("VALIDATION_ERROR"))
            let longer = Array((head + "Connection: close\r\nContent-Length: 2\r\n\r\n{}{\"more\":1}").utf8)
            let lying = try await RawConnection.exchange(port: port, longer, closing: false, seconds: 30)
            #expect(lying.answer.hasPrefix("HTTP/1.1 400") && lying.isClosed)
            #expect(try await client.send("GET", "/health").status == 200)
        }

        @Test("refusals leave nothing in intake and no row")
        func noTrace() async throws {
            let client = try TestClient.current()
            let stack = try #require(LocalStack.current)
            var device = try await client.device()
            let parts = try CaptureParts()
            var form = parts.form(assertion: nil)
            form[2] = FormPart("metadata", Array("{}".utf8))
            expect(try await client.submit(&device, form), 422, "INVALID_METADATA")
            let rows = try await stack.sql("SELECT count(*) FROM captures WHERE device_id = '\(try #require(device.deviceID))'")
            #expect(rows == ["0"])
        }
    }
}
