import CaptureProtocol
import Crypto
import Foundation
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("Captures, from upload to evidence")
    struct Captures {
        @Test("a signed room is HIGH, a screen is not, and their pages and media are served")
        func roomAndScreen() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let room = try await client.settled(client.capture(&device, CaptureParts()))
            #expect(room.data["confidence_level"] as? String == "high")
            #expect(room.evidence("hardware_attestation.binding") == "photo+depth+metadata")
            #expect(room.data["location_coarse"] as? String == "Lyon, France")
            #expect(room.data["location"] == nil)
            #expect(!String(decoding: room.body, as: UTF8.self).contains("45.764043"))
            let screen = try await client.settled(client.capture(&device, CaptureParts(CaptureParts.screen)))
            #expect(screen.data["confidence_level"] as? String == "medium")
            #expect(screen.evidence("depth_analysis.status") == "inconclusive")
            for field in ["media_url", "depth_visualization_url", "thumbnail_url"] {
                let url = try #require(room.data[field] as? String)
                let answer = try await client.send("GET", String(url.dropFirst(client.url.count)))
                #expect(answer.status == 200 && answer.headers["etag"] != nil && !answer.body.isEmpty, "\(field)")
            }
            let page = try await client.send("GET", "/verify/\(try #require(room.data["id"] as? String))")
            #expect(page.status == 200 && String(decoding: page.body, as: UTF8.self).contains("HIGH"))
        }

        @Test("a screen with the room visible beside it is not HIGH")
        func screenInRoom() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let capture = try await client.settled(client.capture(&device, CaptureParts(CaptureParts.screenInRoom)))
            #expect(capture.data["confidence_level"] as? String == "medium")
            #expect(capture.evidence("hardware_attestation.status") == "pass")
            #expect(capture.evidence("depth_analysis.status") == "inconclusive")
            #expect(capture.evidence("depth_analysis.method") == "relief-2")
            #expect(capture.evidence("algorithm_versions.depth") == "relief-2")
            let evidence = try #require(capture.data["evidence"] as? [String: Any])
            let depth = try #require(evidence["depth_analysis"] as? [String: Any])
            let relief = try #require(depth["relief"] as? Double)
            let (front, behind) = (try #require(depth["relief_front"] as? Double), try #require(depth["relief_behind"] as? Double))
            #expect(relief < 0.2 && behind > 0.1 && abs(front + behind - relief) < 1e-9)
            #expect(depth["photo_edges_on_surface"] is Double)
        }

        @Test("a device without a LiDAR sensor is not HIGH, whatever depth it sends")
        func noLiDAR() async throws {
            let client = try TestClient.current()
            var device = try await client.device(hasLiDAR: false)
            let capture = try await client.settled(client.capture(&device, CaptureParts()))
            #expect(capture.data["confidence_level"] as? String == "medium")
            #expect(capture.evidence("hardware_attestation.status") == "pass")
            #expect(capture.evidence("depth_analysis.status") == "inconclusive")
            #expect(capture.evidence("depth_analysis.reason") == "no_lidar")
            #expect(capture.evidence("depth_analysis.verdict") == "real")
        }

        @Test("every kind of request key can register and send captures", arguments: RequestKeyKind.allCases, [1, 2])
        func keys(kind: RequestKeyKind, version: Int) async throws {
            let client = try TestClient.current()
            var device = try await client.device(kind)
            let parts = try CaptureParts()
            let digests = parts.digests
            let assertion = try device.captureAssertion(
                photoDigest: digests.photo, depthDigest: digests.depth, metadataDigest: digests.metadata)
            let answer = try await client.submit(&device, parts.form(assertion: assertion), version: version, rawP256: version == 2)
            #expect(answer.status == 201, "\(String(decoding: answer.body, as: UTF8.self))")
        }

        @Test(
            "every defect of an attestation makes an unverified device, or none where nothing could authenticate it",
            arguments: Defect.allCases.filter(\.isOfAttestation))
        func defects(defect: Defect) async throws {
            let client = try TestClient.current()
            let device = SimulatedDevice()
            let answer = try await client.register(client.registration(device, challenge: client.challenge(), defect: defect))
            let isMalformed = [Defect.missingIntermediate, .trailingCBOR, .truncatedAuthData].contains(defect)
            if isMalformed {
                #expect(answer.errorCode == "INVALID_ATTESTATION")
            } else {
                #expect(answer.status == 201 && answer.data["attestation_level"] as? String == "unverified")
                #expect((answer.data["attestation_failure"] as? String)?.isEmpty == false)
            }
            let keyless = SimulatedDevice(requestKey: .none)
            let refused = try await client.register(client.registration(keyless, challenge: client.challenge(), defect: defect))
            #expect(refused.status == 400 && refused.errorCode == "INVALID_ATTESTATION")
        }

        @Test("an unverified device reaches MEDIUM and no more")
        func unverified() async throws {
            let client = try TestClient.current()
            var device = try await client.device(.ed25519, defect: .otherRoot)
            let parts = try CaptureParts()
            let answer = try await client.submit(&device, parts.form(assertion: nil))
            let capture = try await client.settled(try #require(answer.data["capture_id"] as? String))
            #expect(capture.data["confidence_level"] as? String == "medium")
            #expect(capture.evidence("hardware_attestation.reason") == "device_unverified")
        }

        @Test("a registration sent again gets its first outcome, and its challenge works for no other body")
        func registrationAgain() async throws {
            let client = try TestClient.current()
            let device = SimulatedDevice()
            let challenge = try await client.challenge()
            let body = try client.registration(device, challenge: challenge)
            let first = try await client.register(body)
            let second = try await client.register(body)
            #expect(first.status == 201 && first.data["device_id"] as? String == second.data["device_id"] as? String)
            let other = try await client.register(client.registration(SimulatedDevice(), challenge: challenge))
            #expect(other.status == 400 && other.errorCode == "CHALLENGE_INVALID")
            let again = try await client.register(client.registration(device, challenge: client.challenge()))
            #expect(again.status == 409 && again.errorCode == "DEVICE_ALREADY_REGISTERED")
        }

        @Test("the same capture sent again, also eight times at once, is one capture")
        func again() async throws {
            let client = try TestClient.current()
            let device = try await client.device()
            let parts = try CaptureParts()
            let digests = parts.digests
            var signer = device
            let form = parts.form(
                assertion: try signer.captureAssertion(
                    photoDigest: digests.photo, depthDigest: digests.depth, metadataDigest: digests.metadata))
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var own = device
                        return try await client.submit(&own, form)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0.status == 201 }.count == 1)
            #expect(answers.filter { $0.status == 200 }.count == 7)
            let ids = Set(answers.compactMap { $0.data["capture_id"] as? String })
            #expect(ids.count == 1)
            let id = try #require(ids.first)
            _ = try await client.settled(id)
            let stack = try #require(LocalStack.current)
            #expect(try await stack.sql("SELECT count(*) FROM assertion_counters WHERE capture_id = '\(id)'") == ["1"])
        }

        @Test("of two captures with one counter exactly one passes; a lower unused counter is out of order and passes")
        func counters() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let pair = try [CaptureParts(), CaptureParts()]
            let assertions = try pair.map { parts in
                let digests = parts.digests
                return try device.captureAssertion(
                    photoDigest: digests.photo, depthDigest: digests.depth, metadataDigest: digests.metadata, counter: 7)
            }
            let template = device
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for (parts, assertion) in zip(pair, assertions) {
                    group.addTask {
                        var own = template
                        return try await client.capture(&own, parts, assertion: assertion)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            var levels: [String] = []
            for id in ids { levels.append(try await client.settled(id).data["confidence_level"] as? String ?? "") }
            #expect(levels.sorted() == ["high", "suspicious"])
            let late = try CaptureParts()
            let digests = late.digests
            let lower = try device.captureAssertion(
                photoDigest: digests.photo, depthDigest: digests.depth, metadataDigest: digests.metadata, counter: 3)
            let answer = try await client.settled(client.capture(&device, late, assertion: lower))
            let hardware = (answer.data["evidence"] as? [String: Any])?["hardware_attestation"] as? [String: Any]
            #expect(hardware?["status"] as? String == "pass" && hardware?["out_of_order"] as? Bool == true)
        }

        @Test("an assertion over the photo alone leaves the depth inconclusive; over photo and depth it binds both")
        func bindings() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let photoOnly = try CaptureParts()
            var assertion = try device.assertion(clientDataHash: photoOnly.digests.photo.bytes)
            var answer = try await client.settled(client.capture(&device, photoOnly, assertion: assertion))
            #expect(answer.evidence("hardware_attestation.binding") == "photo")
            #expect(answer.evidence("depth_analysis.status") == "inconclusive")
            #expect(answer.data["confidence_level"] as? String == "medium")
            let both = try CaptureParts()
            let inner = Array(SHA256.hash(data: both.photo + both.depth))
            assertion = try device.assertion(clientDataHash: Array(SHA256.hash(data: inner)))
            answer = try await client.settled(client.capture(&device, both, assertion: assertion))
            #expect(answer.evidence("hardware_attestation.binding") == "photo+depth")
            #expect(answer.data["confidence_level"] as? String == "high")
        }

        @Test("a bad assertion makes the capture SUSPICIOUS", arguments: [Defect.badSignature, .assertionOfOtherApp])
        func badAssertion(defect: Defect) async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let parts = try CaptureParts()
            let digests = parts.digests
            let assertion = try device.captureAssertion(
                photoDigest: digests.photo, depthDigest: digests.depth, metadataDigest: digests.metadata, defect: defect)
            let answer = try await client.settled(client.capture(&device, parts, assertion: assertion))
            #expect(answer.data["confidence_level"] as? String == "suspicious")
            #expect(answer.evidence("hardware_attestation.status") == "fail")
        }

        @Test("the owner sees the precise location and the counter, others do not")
        func owner() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let id = try await client.capture(&device, CaptureParts())
            _ = try await client.settled(id)
            let path = "/api/v1/captures/\(id)"
            let empty = ContentDigest(of: [UInt8]())
            let signed = try device.requestHeaders(method: "GET", path: path, bodyDigest: empty).map { ($0.name, $0.value) }
            let own = try await client.send("GET", path, headers: signed)
            #expect((own.data["location"] as? [String: Any])?["latitude"] as? Double == 45.764043)
            #expect(own.headers["cache-control"] == "private, no-store")
            var other = try await client.device()
            let foreign = try other.requestHeaders(method: "GET", path: path, bodyDigest: empty).map { ($0.name, $0.value) }
            #expect(try await client.send("GET", path, headers: foreign).data["location"] == nil)
            let old = try device.requestHeaders(method: "GET", path: path, bodyDigest: empty, version: 1).map { ($0.name, $0.value) }
            #expect(try await client.send("GET", path, headers: old).status == 401)
            // Then nothing of it changes any more.
            try await eventually("the verdict is witnessed") {
                (try await client.show(id).data["log"] as? [String: Any])?["status"] as? String == "witnessed"
            }
            let tag = try #require(try await client.show(id).headers["etag"])
            #expect(try await client.show(id, headers: [("If-None-Match", tag)]).status == 304)
        }

        @Test(
            "real captures are HIGH and recaptures are not", .enabled(if: SharedData.isPresent, "needs ../shared/data/rgbd"),
            arguments: ["dev_real_library", "dev_real_kitchen", "dev_real_box", "dev_flat_monitor", "dev_flat_full", "dev_flat_poster"])
        func shared(name: String) async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            var parts = try CaptureParts()
            parts.photo = Array(try SharedData.data("rgbd/\(name).jpg"))
            parts.depth = Array(try SharedData.data("rgbd/\(name).f32.gz"))
            var fields = try #require(try JSONSerialization.jsonObject(with: Data(parts.metadata)) as? [String: Any])
            fields["photo_hash"] = Data(SHA256.hash(data: parts.photo)).base64EncodedString()
            fields["depth_map_dimensions"] = ["width": 256, "height": 192]
            parts.metadata = Array(try JSONSerialization.data(withJSONObject: fields))
            let answer = try await client.settled(client.capture(&device, parts))
            #expect((answer.data["confidence_level"] as? String == "high") == name.contains("real"), "\(name)")
        }
    }
}
