import CaptureProtocol
import Crypto
import Foundation
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("Every error code of the API")
    struct APIErrors {
        typealias Headers = [(String, String)]

        @Test("is known to this test")
        func isComplete() throws {
            #expect(try APIRefusal.inSources() == Set(APIRefusal.allCases.map(\.rawValue)))
        }

        @Test(
            "comes in the envelope, and as a problem where that is asked for", .timeLimit(.minutes(5)), arguments: APIRefusal.allCases)
        func both(code: APIRefusal) async throws {
            let stack = try LocalStack.required()
            let forms = {
                let id = UUID().uuidString.lowercased()
                let plain = try await provoke(code, [("X-Request-Id", id)])
                code.expectEnvelope(plain)
                #expect(plain.headers["x-request-id"] == id)
                code.expectProblem(try await provoke(code, [("Accept", "application/problem+json")]))
            }
            switch code {
            case .storageError: try await stack.without("s3", forms)
            case .serviceUnavailable: try await stack.without("postgres", by: "stop", forms)
            default: try await forms()
            }
        }

        private func provoke(_ code: APIRefusal, _ headers: Headers) async throws -> Answer {
            let client = try TestClient.current()
            switch code {
            case .notFound: return try await client.send("GET", "/api/v1/nothing", headers: headers)
            case .methodNotAllowed: return try await client.send("DELETE", TestClient.captures, headers: headers)
            case .hashNotFound:
                let digest = ContentDigest(of: Array(UUID().uuidString.utf8)).hex
                return try await client.send("GET", "/api/v1/verify-hash/\(digest)", headers: headers)
            case .captureNotFound: return try await client.send("GET", "\(TestClient.captures)/\(UUID())", headers: headers)
            case .serviceUnavailable: return try await client.send("GET", "/api/v1/devices/challenge", headers: headers)
            case .forbidden: return try await client.send("GET", "/media/\(UUID())/public.jpg", headers: headers)
            case .gone:
                let link = try LocalStack.required().link("\(UUID())", "public.jpg", expires: Date().addingTimeInterval(-1))
                return try await client.send("GET", link, headers: headers)
            case .notLoggedYet:
                // Its day has not ended.
                var device = try await client.device()
                let flags = MetadataFlags(location: .none, timestamp: .day, device: .none)
                let id = try await client.capture(&device, PrivateCapture(CaptureParts(), sharing: flags))
                _ = try await client.settled(id)
                return try await client.send("GET", "\(TestClient.captures)/\(id)/bundle", headers: headers)
            case .internalError: return try await unreadable(client, headers)
            case .notImplemented: return try await client.send("GET", "/oembed?format=xml", headers: headers)
            case .attestationFailed:
                var device = try await client.device()
                let body = HashOnlyBody(payload: try PrivateCapture(CaptureParts()).payload, assertion: [0xa0]).bytes()
                return try await client.submitPrivate(&device, body) { sent, _ in sent += headers }
            case .invalidVideo, .invalidHashChain:
                var device = try await client.device()
                var video = try RecordedVideo(of: &device)
                if code == .invalidVideo {
                    video.video.removeLast()
                    try video.describe()
                } else {
                    video.chainBytes = Array("{}".utf8)
                }
                return try await client.submit(&device, video.form, to: TestClient.videos) { sent, _ in sent += headers }
            case .uploadOffsetMismatch, .uploadIncomplete, .uploadLengthInconsistent, .uploadCompleted, .digestMismatch:
                return try await provokeByUpload(code, client, headers)
            case .validationError, .payloadTooLarge, .challengeInvalid, .unsupportedPlatform, .invalidAttestation,
                .deviceAlreadyRegistered:
                return try await provokeByRegistration(code, client, headers)
            default: return try await provokeByCapture(code, client, headers)
            }
        }

        /// Inserts a row that no gateway wrote: the client is not at fault.
        private func unreadable(_ client: TestClient, _ headers: Headers) async throws -> Answer {
            let stack = try LocalStack.required()
            var device = try await client.device()
            let id = try await client.capture(&device, CaptureParts())
            _ = try await client.settled(id)
            _ = try await stack.sql("UPDATE captures SET location = '{\"latitude\": \"north\"}' WHERE id = '\(id)'")
            let answer = try await client.send("GET", "\(TestClient.captures)/\(id)", headers: headers)
            #expect(!answer.text.contains("latitude"), "what failed inside is not told")
            _ = try await stack.sql("UPDATE captures SET location = NULL WHERE id = '\(id)'")
            return answer
        }

        private func provokeByRegistration(_ code: APIRefusal, _ client: TestClient, _ headers: Headers) async throws -> Answer {
            let device = SimulatedDevice(requestKey: code == .invalidAttestation ? .none : .ed25519)
            let body: [UInt8]
            switch code {
            case .validationError: body = Array("{\"platform\":".utf8)
            case .payloadTooLarge: body = [UInt8](repeating: 0x20, count: 128 * 1024 + 1)
            case .challengeInvalid: body = try client.registration(device, challenge: [UInt8](repeating: 9, count: 32))
            case .unsupportedPlatform:
                let sound = try client.registration(device, challenge: await client.challenge())
                body = Array(String(decoding: sound, as: UTF8.self).replacing("\"ios\"", with: "\"android\"").utf8)
            case .invalidAttestation:
                body = try client.registration(device, challenge: await client.challenge(), defect: .otherRoot)
            default:
                _ = try await client.register(client.registration(device, challenge: client.challenge()))
                body = try client.registration(device, challenge: await client.challenge())
            }
            return try await client.send(
                "POST", TestClient.registrations, headers: headers + [("Content-Type", "application/json")], body: body)
        }

        private func provokeByCapture(_ code: APIRefusal, _ client: TestClient, _ extra: Headers) async throws -> Answer {
            let stack = try LocalStack.required()
            var device = try await client.device()
            let parts = try CaptureParts()
            var form = try client.soundForm(&device, parts)
            var time = Date()
            switch code {
            case .unsupportedMediaType: form[0] = FormPart("photo", Array("GIF89a".utf8))
            case .invalidDepthFormat: form[1] = FormPart("depth_map", Array("no depth".utf8))
            case .invalidMetadata: form[2] = FormPart("metadata", Array("{}".utf8))
            case .invalidAssertion: form[3] = FormPart("assertion", Array("not CBOR".utf8))
            case .timestampExpired: time += 310
            case .deviceNotRegistered: device.deviceID = "\(UUID())"
            case .deviceRevoked:
                let (admin, token) = try stack.administration()
                #expect(try await admin.send("POST", "/devices/\(try #require(device.deviceID))/revoke", headers: token).status == 200)
            case .rateLimited:
                // The address's bucket: empty, with a time in the future, so that it does not refill in the meantime.
                _ = try await stack.sql(
                    """
                    INSERT INTO rate_limits VALUES ('auth-failure:127.0.0.1', 0, now() + interval '50 seconds')
                    ON CONFLICT (bucket) DO UPDATE SET tokens = 0, updated_at = excluded.updated_at
                    """)
            default: break
            }
            let answer = try await client.submit(&device, form, at: time) { headers, body in
                headers += extra
                switch code {
                case .deviceAuthRequired: headers.removeAll { $0.0 == "X-Device-Signature" }
                case .signatureInvalid: body[body.count / 2] ^= 1
                default: break
                }
            }
            if code == .rateLimited { try await Self.forgetFailures() }
            return answer
        }

        /// Deletes the bucket of failed authentications, so that it is full again.
        static func forgetFailures() async throws {
            _ = try await LocalStack.required().sql("DELETE FROM rate_limits WHERE bucket LIKE 'auth-failure:%'")
        }
    }
}
