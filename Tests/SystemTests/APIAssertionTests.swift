import CaptureProtocol
import Crypto
import Foundation
import SimulatedDevice
import Testing

extension SystemTests {
    @Suite("Capture assertions over the API")
    struct APIAssertions {
        private func hardware(_ answer: Answer) -> [String: Any] {
            (answer.data["evidence"] as? [String: Any])?["hardware_attestation"] as? [String: Any] ?? [:]
        }

        @Test("an assertion sent with another capture fails, and the first is not harmed")
        func replayed() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let parts = try CaptureParts()
            let digests = parts.digests
            let assertion = try device.captureAssertion(
                photoDigest: digests.photo, depthDigest: digests.depth, metadataDigest: digests.metadata)
            let first = try await client.capture(&device, parts, assertion: assertion)
            let second = try await client.settled(client.capture(&device, CaptureParts(), assertion: assertion))
            #expect(second.data["confidence_level"] as? String == "suspicious")
            #expect(hardware(second)["status"] as? String == "fail")
            #expect(try await client.settled(first).data["confidence_level"] as? String == "high")
        }

        @Test("an assertion over the photo, sent again with another depth map, is a replay though its signature holds")
        func replayedCounter() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            var parts = try CaptureParts()
            let assertion = try device.assertion(clientDataHash: parts.digests.photo.bytes)
            let first = try await client.settled(client.capture(&device, parts, assertion: assertion))
            #expect(hardware(first)["binding"] as? String == "photo")
            let owner = try #require(device.deviceID)
            let counters = "SELECT capture_id FROM assertion_counters WHERE device_id = '\(owner)'"
            let before = try await LocalStack.required().sql(counters)
            // Changes the time in gzip's header: the same depth values in other bytes are a different capture.
            parts.depth[4] ^= 1
            let second = try await client.settled(client.capture(&device, parts, assertion: assertion))
            #expect(second.data["id"] as? String != first.data["id"] as? String)
            #expect(hardware(second)["status"] as? String == "fail" && hardware(second)["reason"] as? String == "counter_replay")
            #expect(second.data["confidence_level"] as? String == "suspicious")
            #expect(try await LocalStack.required().sql(counters) == before)
        }

        @Test("an invalid assertion consumes no counter")
        func unconsumed() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let parts = try CaptureParts()
            let digests = parts.digests
            let broken = try device.captureAssertion(
                photoDigest: digests.photo, depthDigest: digests.depth, metadataDigest: digests.metadata, counter: 5, defect: .badSignature)
            _ = try await client.settled(client.capture(&device, parts, assertion: broken))
            let answer = try await client.submit(&device, client.soundForm(&device, parts, counter: 5))
            let id = try #require(answer.data["capture_id"] as? String)
            let view = try await client.settled(id)
            #expect(hardware(view)["status"] as? String == "pass", "\(view.text)")
            #expect(hardware(view)["out_of_order"] as? Bool != true)
        }

        @Test("an assertion in the metadata counts like one in its part, and so does the other form of photo and depth")
        func inMetadata() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            // The assertion cannot cover metadata that contain the assertion itself.
            let room = try CaptureParts()
            let assertion = try device.assertion(clientDataHash: Array(SHA256.hash(data: room.photo + room.depth)))
            var fields = try #require(try JSONSerialization.jsonObject(with: Data(room.metadata)) as? [String: Any])
            fields["assertion"] = Data(assertion).base64EncodedString()
            var parts = room
            parts.metadata = Array(try JSONSerialization.data(withJSONObject: fields))
            let answer = try await client.submit(&device, parts.form(assertion: nil))
            let view = try await client.settled(try #require(answer.data["capture_id"] as? String))
            #expect(hardware(view)["binding"] as? String == "photo+depth" && hardware(view)["status"] as? String == "pass", "\(view.text)")
            #expect(view.data["confidence_level"] as? String == "high")
        }

        @Test("bytes after an assertion make it invalid")
        func trailing() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let parts = try CaptureParts()
            let assertion = try device.assertion(clientDataHash: parts.digests.photo.bytes, defect: .assertionTrailingCBOR)
            APIRefusal.invalidAssertion.expectEnvelope(try await client.submit(&device, parts.form(assertion: assertion)))
        }

        @Test("without an assertion the hardware check is unavailable, not failed")
        func none() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let answer = try await client.submit(&device, CaptureParts().form(assertion: nil))
            let view = try await client.settled(try #require(answer.data["capture_id"] as? String))
            #expect(hardware(view)["status"] as? String == "unavailable")
            #expect(view.evidence("depth_analysis.status") == "pass")
            #expect(view.data["confidence_level"] as? String == "medium")
        }

        @Test("the same photo of another device, or with another assertion, is another capture")
        func otherClaims() async throws {
            let client = try TestClient.current()
            let parts = try CaptureParts()
            var ids: Set<String> = []
            for _ in 0..<2 {
                var device = try await client.device()
                for _ in 0..<2 {
                    let answer = try await client.submit(&device, client.soundForm(&device, parts))
                    #expect(answer.status == 201)
                    #expect(answer.headers["location"] == "\(TestClient.captures)/\(answer.data["capture_id"] as? String ?? "")")
                    ids.insert(try #require(answer.data["capture_id"] as? String))
                }
            }
            #expect(ids.count == 4)
            for id in ids { #expect(try await client.settled(id).data["confidence_level"] as? String == "high") }
        }
    }
}
