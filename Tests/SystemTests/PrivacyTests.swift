import CaptureProtocol
import Foundation
import Models
import ObjectStorage
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("Hash-only captures, from the device to the page")
    struct Privacy {
        private func numbers(_ answer: Answer) throws -> NSDictionary {
            let evidence = try #require(answer.data["evidence"] as? [String: Any])
            var depth = try #require(evidence["depth_analysis"] as? [String: Any])
            for other in ["source", "preview_scale", "status", "reason"] { depth[other] = nil }
            return depth as NSDictionary
        }

        @Test("a room is HIGH, computed on the device, and a flat screen MEDIUM; sent in full they have the same numbers")
        func levels() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            for (scene, level) in [(CaptureParts.room, "high"), (CaptureParts.screen, "medium")] {
                let parts = try CaptureParts(scene)
                let id = try await client.capture(&device, PrivateCapture(parts))
                let capture = try await client.settled(id)
                #expect(capture.data["confidence_level"] as? String == level)
                #expect(capture.data["capture_mode"] as? String == "hash_only" && capture.data["media_stored"] as? Bool == false)
                #expect(capture.evidence("analysis_source") == "device" && capture.evidence("depth_analysis.source") == "device")
                #expect(capture.evidence("hardware_attestation.binding") == "payload")
                #expect(capture.evidence("metadata.resolution.reason") == "media_not_stored")
                #expect(capture.evidence("content_credentials.status") == "withheld")
                #expect(capture.evidence("content_credentials.reason") == "media_not_stored")
                let page = try await client.send("GET", "/verify/\(id)").text
                #expect(page.contains("Original media not stored on server") && page.contains("computed on the device"))
                let full = try await client.settled(client.capture(&device, parts))
                #expect(try numbers(full) == numbers(capture))
            }
        }

        @Test("the store has the payload and the share card of it and nothing else, at every moment", .timeLimit(.minutes(5)))
        func bucket() async throws {
            let client = try TestClient.current()
            let stack = try LocalStack.required()
            var device = try await client.device()
            let capture = try PrivateCapture(CaptureParts())
            let id = try await client.capture(&device, capture)
            let storage = try stack.storage()
            func names() async throws -> Set<String> {
                let keys = try await storage.list(prefix: "captures/\(id)/").objects.map {
                    String($0.key.dropFirst("captures/\(id)/".count))
                }
                return Set(keys.map { $0.hasPrefix("og-") ? "og" : $0 })
            }
            var seen: Set<String> = []
            try await eventually("the capture is complete") {
                seen.formUnion(try await names())
                return try await client.show(id).data["status"] as? String == "complete"
            }
            #expect(seen.isSubset(of: ["metadata.json", "og"]))
            #expect(try await names() == ["metadata.json", "og"])
            #expect(try await storage.list(prefix: "incoming/\(id)/").objects.isEmpty)
            let kept = try await stack.sql("SELECT name, encode(sha256, 'hex') FROM media_objects WHERE capture_id = '\(id)' ORDER BY name")
            #expect(kept.count == 2 && kept[0] == "metadata.json|\(ContentDigest(of: capture.payload).hex)" && kept[1].hasPrefix("og.jpg|"))
            #expect(try await stack.sql("SELECT count(*) FROM intakes WHERE device_id = '\(device.deviceID ?? "")'") == ["0"])
        }

        @Test("the original is found by its hash and as a file, a changed copy is not, and a stored claim comes first")
        func files() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let parts = try CaptureParts()
            let id = try await client.capture(&device, PrivateCapture(parts))
            _ = try await client.settled(id)
            let digest = ContentDigest(of: parts.photo).hex
            let byHash = try await client.send("GET", "/api/v1/verify-hash/\(digest)")
            let byFile = try await client.verify([FormPart("file", parts.photo, filename: "photo.jpg")])
            for answer in [byHash, byFile] {
                #expect(answer.data["status"] as? String == "verified" && answer.data["matched"] as? String == "original", "\(answer.text)")
                #expect(answer.data["capture_mode"] as? String == "hash_only" && answer.data["media_stored"] as? Bool == false)
                #expect(answer.data["capture_id"] as? String == id)
            }
            #expect(
                try await client.verify([FormPart("file", parts.photo + [0], filename: "photo.jpg")]).data["status"] as? String
                    == "no_record")
            let full = try await client.capture(&device, parts)
            _ = try await client.settled(full)
            let both = try await client.send("GET", "/api/v1/verify-hash/\(digest)")
            #expect(both.data["capture_id"] as? String == full && both.data["capture_mode"] as? String == "full")
            let others = try #require(both.data["other_claims"] as? [[String: Any]])
            #expect(others.map { $0["capture_id"] as? String } == [id] && others.first?["capture_mode"] as? String == "hash_only")
        }

        @Test("the same payload and assertion again, also eight times at once, is one capture")
        func again() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let body = try PrivateCapture(CaptureParts()).body(&device)
            let owner = device
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var own = owner
                        return try await client.submitPrivate(&own, body)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 201 } == 1 && answers.count { $0.status == 200 } == 7)
            let ids = Set(answers.compactMap { $0.data["capture_id"] as? String })
            #expect(ids.count == 1)
            let capture = try await client.settled(try #require(ids.first))
            #expect(capture.data["confidence_level"] as? String == "high")
        }

        @Test("a counter that was used before is taken, and then SUSPICIOUS")
        func replay() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let first = try await client.capture(&device, PrivateCapture(CaptureParts()), counter: 9)
            let second = try await client.capture(&device, PrivateCapture(CaptureParts()), counter: 9)
            let settled = try await (client.settled(first), client.settled(second))
            let levels = [settled.0, settled.1].compactMap { $0.data["confidence_level"] as? String }.sorted()
            #expect(levels == ["high", "suspicious"])
            let replayed = settled.0.data["confidence_level"] as? String == "suspicious" ? settled.0 : settled.1
            #expect(replayed.evidence("hardware_attestation.reason") == "counter_replay")
        }

        @Test(
            "the store's own answers, which say when an object was made, are not given where the time is kept back", .timeLimit(.minutes(4))
        )
        func redirects() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            let gateway = try await stack.startGateway(4, settings: ["RIAL_S3_PUBLIC_ENDPOINT": stack.addresses["RIAL_S3_ENDPOINT"] ?? ""])
            var device = try await client.device()
            for precision in TimePrecision.allCases {
                let flags = MetadataFlags(location: .coarse, timestamp: precision, device: .model)
                let id = try await client.capture(&device, PrivateCapture(CaptureParts(), sharing: flags))
                _ = try await client.settled(id)
                // The client follows the redirect to the store.
                let card = try await gateway.send("GET", "/media/\(id)/og.jpg")
                #expect(card.status == 200 && !card.body.isEmpty)
                #expect((card.headers["last-modified"] != nil) == (precision == .exact), "\(precision)")
            }
            try await stack.control("stop", "gateway", 4)
        }

        @Test("all answers about it tell what its flags share and no more", .timeLimit(.minutes(6)))
        func publicForm() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            var sent: [(id: String, flags: MetadataFlags, during: [String])] = []
            for flags in MetadataFlags.all {
                let id = try await client.capture(&device, PrivateCapture(CaptureParts(), sharing: flags))
                sent.append((id, flags, [try await client.send("GET", "/verify/\(id)").text, try data(try await client.show(id))]))
            }
            for (id, flags, during) in sent {
                let complete = try await client.settled(id)
                let digest = try #require(complete.data["media_hash"] as? String)
                let texts = [
                    try data(complete), try await client.send("GET", "/verify/\(id)").text,
                    try await client.send("GET", "/verify/\(id)?lang=es").text,
                    try await client.send("GET", "/api/v1/captures/\(id)/events").text,
                    try await client.send("GET", "/oembed?url=\(client.url)/verify/\(id)").text,
                    try data(try await client.send("GET", "/api/v1/verify-hash/\(digest)")),
                ]
                for text in texts + during { expectNoMore(than: flags, text, "\(flags): \(text)") }
                let path = "\(TestClient.captures)/\(id)"
                let owner = try await client.signedRead(&device, path)
                #expect(owner.evidence("hardware_attestation.device_model") == device.model)
                #expect((owner.data["uploaded_at"] as? String)?.hasSuffix("Z") == true)
                let card = try await client.send("GET", "/media/\(id)/og.jpg")
                #expect(card.status == 200 && card.headers["last-modified"] == nil)
                #expect(complete.headers["last-modified"] == nil)
            }
        }

        private func data(_ answer: Answer) throws -> String {
            String(decoding: try JSONSerialization.data(withJSONObject: answer.data, options: .sortedKeys), as: UTF8.self)
        }

        private func expectNoMore(than flags: MetadataFlags, _ text: String, _ what: @autoclosure () -> String) {
            let untimed = text.withoutTimes
            #expect(flags.device != .none || !text.contains("iPhone 15"), "model: \(what())")
            #expect(!text.contains("26.1\"") && !untimed.contains("45.764"), "\(what())")
            #expect(flags.location != .none || !text.contains("Lyon") && !untimed.contains("45.7"), "place: \(what())")
            guard flags.timestamp != .exact else { return }
            #expect(text.firstMatch(of: /\d\d\d\d-\d\d-\d\dT\d\d/) == nil, "time: \(what())")
            #expect(text.firstMatch(of: /\d\d:\d\d(:\d\d)? UTC/) == nil, "time: \(what())")
        }
    }
}
