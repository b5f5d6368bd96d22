import CaptureProtocol
import Crypto
import Foundation
import SimulatedDevice
import Testing

extension SystemTests {
    @Suite("Signed requests over the API")
    struct APIAuthentication {
        /// Time passes until the gateway compares the timestamps, so the two offsets that this moves towards the limit are some seconds
        /// away.
        @Test("five minutes off is the limit", arguments: [(-290.0, true), (299, true), (-301, false), (310, false)])
        func window(offset: Double, isIn: Bool) async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let form = try CaptureParts().form(assertion: nil)
            let answer = try await client.submit(&device, form, at: Date().addingTimeInterval(offset))
            if isIn {
                #expect(answer.status == 201, "\(answer.text)")
            } else {
                APIRefusal.timestampExpired.expectEnvelope(answer)
            }
        }

        @Test(
            "every kind of key signs reads, also P-256 in DER and raw; the assertions among them consume no counter",
            arguments: [(RequestKeyKind.ed25519, false), (.p256, false), (.p256, true), (.none, false)])
        func reads(kind: RequestKeyKind, isRaw: Bool) async throws {
            let client = try TestClient.current()
            var device = try await client.device(kind)
            let id = try await client.capture(&device, CaptureParts())
            let path = "\(TestClient.captures)/\(id)"
            _ = try await client.settled(id)
            for _ in 0..<2 {
                let own = try await client.signedRead(&device, path, rawP256: isRaw)
                let location = own.data["location"] as? [String: Any]
                #expect(location?["latitude"] as? Double == 45.764043, "\(own.text)")
                #expect(location?["longitude"] as? Double == 4.835659)
            }
            let owner = try #require(device.deviceID)
            let counters = try await LocalStack.required().sql("SELECT capture_id FROM assertion_counters WHERE device_id = '\(owner)'")
            #expect(counters.map { $0.lowercased() } == [id.lowercased()])
        }

        @Test("the counter of a request's assertion is not compared with those of captures")
        func sharedCounters() async throws {
            let client = try TestClient.current()
            var device = try await client.device(.none)
            // The form's own assertion has counter 1, the assertion that signs its request has 2; the next capture reuses 2.
            let first = try await client.capture(&device, CaptureParts())
            let parts = try CaptureParts()
            let answer = try await client.submit(&device, client.soundForm(&device, parts, counter: 2))
            let second = try #require(answer.data["capture_id"] as? String)
            for id in [first, second] {
                #expect(try await client.settled(id).evidence("hardware_attestation.status") == "pass")
            }
        }

        @Test("wrong signature headers on a read are refused, not ignored")
        func badReads() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let id = try await client.capture(&device, CaptureParts())
            let path = "\(TestClient.captures)/\(id)"
            for name in ["X-Device-Id", "X-Device-Timestamp", "X-Device-Signature"] {
                let answer = try await client.signedRead(&device, path) { $0.removeAll { $0.0 == name } }
                APIRefusal.deviceAuthRequired.expectEnvelope(answer, "without \(name)")
            }
            let lone = try await client.send("GET", path, headers: [("X-Device-Signature-Version", "2")])
            APIRefusal.deviceAuthRequired.expectEnvelope(lone, "the version alone")
            let broken = try await client.signedRead(&device, path) { headers in
                headers = headers.map { $0.0 == "X-Device-Signature" ? ($0.0, Data(count: 64).base64EncodedString()) : $0 }
            }
            APIRefusal.signatureInvalid.expectEnvelope(broken)
            // Version 1 signs neither method nor path: its signature would be valid for any capture.
            var old = try device.requestHeaders(
                method: "GET", path: path, bodyDigest: ContentDigest(of: [UInt8]()), version: 1
            ).map { ($0.name, $0.value) }
            APIRefusal.signatureInvalid.expectEnvelope(try await client.send("GET", path, headers: old), "version 1")
            old.append(("X-Device-Signature-Version", "1"))
            APIRefusal.signatureInvalid.expectEnvelope(try await client.send("GET", path, headers: old), "version 1, said aloud")
        }

        @Test("a signature of version 2 is for one method, one path, one query and one device")
        func binding() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            var other = try await client.device()
            let id = try await client.capture(&device, CaptureParts())
            let path = "\(TestClient.captures)/\(id)"
            let digest = ContentDigest(of: [UInt8]())
            for (method, signed) in [("POST", path), ("GET", path + "?a=1"), ("GET", "\(TestClient.captures)/\(UUID())")] {
                let headers = try device.requestHeaders(method: method, path: signed, bodyDigest: digest).map { ($0.name, $0.value) }
                APIRefusal.signatureInvalid.expectEnvelope(try await client.send("GET", path, headers: headers), "\(method) \(signed)")
            }
            let query = try await client.signedRead(&device, path + "?a=1&b=%20")
            #expect(query.status == 200 && query.data["location"] != nil, "\(query.text)")
            let borrowed = try await client.signedRead(&other, path) { headers in
                headers = headers.map { $0.0 == "X-Device-Id" ? ($0.0, device.deviceID ?? "") : $0 }
            }
            APIRefusal.signatureInvalid.expectEnvelope(borrowed, "another device's signature")
            // An upload signed with version 1 and sent as version 2.
            let form = try CaptureParts().form(assertion: nil)
            let mixed = try await client.submit(&device, form, version: 1) { headers, _ in
                headers.append(("X-Device-Signature-Version", "2"))
            }
            APIRefusal.signatureInvalid.expectEnvelope(mixed, "version 1 sent as 2")
        }

        @Test("the owner's form is private, and both forms vary on the signature headers")
        func caching() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let id = try await client.capture(&device, CaptureParts())
            _ = try await client.settled(id)
            let path = "\(TestClient.captures)/\(id)"
            let own = try await client.signedRead(&device, path)
            let open = try await client.send("GET", path)
            #expect(own.headers["cache-control"] == "private, no-store" && open.headers["cache-control"] != "private, no-store")
            for answer in [own, open] {
                let names = Set(
                    (answer.headers["vary"] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() })
                #expect(
                    names.isSuperset(of: [
                        "x-device-id", "x-device-timestamp", "x-device-signature", "x-device-signature-version",
                    ]))
            }
            #expect(own.headers["etag"] != open.headers["etag"])
            for secret in ["45.764043", "4.835659", try #require(device.deviceID), "\"counter\"", "out_of_order\":true"] {
                #expect(!open.text.lowercased().contains(secret.lowercased()), "the public form says \(secret)")
            }
        }

        @Test("failed authentication has a rate limit per address, checked before anything else")
        func failures() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let id = try await client.capture(&device, CaptureParts())
            let path = "\(TestClient.captures)/\(id)"
            try await APIErrors.forgetFailures()
            var limited: Answer?
            for _ in 0..<120 where limited == nil {
                let answer = try await client.signedRead(&device, path) { headers in
                    headers = headers.map { $0.0 == "X-Device-Signature" ? ($0.0, "AAAA") : $0 }
                }
                if answer.status == 429 { limited = answer } else { APIRefusal.signatureInvalid.expectEnvelope(answer) }
            }
            APIRefusal.rateLimited.expectEnvelope(try #require(limited, "no end to guessing"))
            // The public form does not count against the limit.
            #expect(try await client.send("GET", path).status == 200)
            try await APIErrors.forgetFailures()
            #expect(try await client.signedRead(&device, path).status == 200)
        }
    }
}
