import Crypto
import Foundation
import Imaging
import Models
import ObjectStorage
import SimulatedDevice
import Testing

extension SystemTests {
    @Suite("The signed copy of a capture")
    struct CredentialCopies {
        @Test("shows the original's picture, and has one manifest with the capture's id", .timeLimit(.minutes(4)))
        func copy() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            let capture = try await SignedCapture.make()
            let view = try await client.show(capture.id)
            #expect(view.data["confidence_level"] as? String == "high")
            #expect(view.evidence("content_credentials.status") == "embedded")
            var files: [[UInt8]] = []
            for (field, type) in [("c2pa_media_url", "image/jpeg"), ("c2pa_manifest_url", "application/c2pa")] {
                let url = try #require(view.data[field] as? String, "\(field)")
                let answer = try await client.send("GET", String(url.dropFirst(client.url.count)))
                let digest = Data(SHA256.hash(data: answer.body)).base64EncodedString()
                #expect(answer.status == 200 && answer.headers["content-type"] == type, "\(field)")
                #expect(answer.headers["content-digest"] == "sha-256=:\(digest):", "\(field)")
                files.append(answer.body)
            }
            #expect(view.data["media_url"] as? String != nil)
            let (copy, manifest) = (files[0], files[1])
            let original = try JPEGDecoder.decodeRGB(capture.parts.photo, fitting: 10_000)
            #expect(try JPEGDecoder.decodeRGB(copy, fitting: 10_000) == original)
            #expect(copy.scan.elementsEqual(capture.parts.photo.scan) && !copy.scan.isEmpty)

            let id = "urn:c2pa:\(capture.id):rial"
            let report = try CredentialFile.report(copy, trusting: stack.signingRoot)
            #expect(report.state == .trusted && report.activeManifest == id && report.claimVersion == 2)
            let labels = report.assertions.filter(\.isCreated).map(\.label)
            let own = ["app.rial.attestation", "app.rial.confidence", "app.rial.depth_analysis", "c2pa.actions.v2"]
            #expect(Set(labels).isSuperset(of: own), "\(labels)")
            // Without our root the signer is not trusted, but the copy is still valid.
            #expect(try CredentialFile.report(copy, trusting: nil).state == .valid)
            // The separate manifest is the embedded one.
            #expect(Data(copy).range(of: Data(manifest)) != nil)
            #expect(try CredentialFile.report(copy, trusting: stack.signingRoot, manifest: manifest).state == .trusted)
            let rows = try await stack.sql("SELECT manifest_id FROM content_credentials WHERE capture_id = '\(capture.id)'")
            #expect(rows == [id])
        }

        /// The reasons for which Content Credentials are not created.
        enum Shortcoming: String, Sendable, CaseIterable {
            case failedAssertion, assertionOfOtherApp, missingAssertion, unverifiedDevice, implausibleModel

            var reason: String {
                switch self {
                case .failedAssertion, .assertionOfOtherApp, .implausibleModel: "suspicious"
                case .missingAssertion, .unverifiedDevice: "hardware_attestation_not_passed"
                }
            }
        }

        @Test(
            "is withheld, with the reason, where the hardware check did not pass or something is suspicious",
            arguments: Shortcoming.allCases)
        func withheld(shortcoming: Shortcoming) async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device(defect: shortcoming == .unverifiedDevice ? .otherRoot : nil)
            // Devices without LiDAR send no depth map.
            let parts = try CaptureParts(model: shortcoming == .implausibleModel ? "iPhone 13" : "iPhone 15 Pro")
            let digests = parts.digests
            let defect: Defect? =
                switch shortcoming {
                case .failedAssertion: .badSignature
                case .assertionOfOtherApp: .assertionOfOtherApp
                default: nil
                }
            let assertion = try device.captureAssertion(
                photoDigest: digests.photo, depthDigest: digests.depth, metadataDigest: digests.metadata, defect: defect)
            let isBound = shortcoming != .missingAssertion && shortcoming != .unverifiedDevice
            let sent = try await client.submit(&device, parts.form(assertion: isBound ? assertion : nil))
            let id = try #require(sent.data["capture_id"] as? String, "\(sent.text)")
            let view = try await client.settled(id)
            #expect(view.evidence("content_credentials.status") == "withheld")
            #expect(view.evidence("content_credentials.reason") == shortcoming.reason)
            #expect((view.evidence("hardware_attestation.status") == "pass") == (shortcoming == .implausibleModel))
            #expect(view.data["c2pa_media_url"] is NSNull && view.data["c2pa_manifest_url"] is NSNull)
            let link = try #require(view.data["media_url"] as? String)
            #expect(link.contains("/public.jpg?"))
            let copy = try await client.send("GET", String(link.dropFirst(stack.url.count)))
            #expect(copy.status == 200 && copy.body.scan.elementsEqual(parts.photo.scan))
            let known = try await client.send("GET", "/api/v1/verify-hash/\(copy.body.sha256)")
            // Several captures of this suite have the same photo.
            #expect(known.data["matched"] as? String == "public_copy", "\(known.text)")
            #expect(try await stack.manifests(of: id).isEmpty)
            #expect(try await stack.mediaNames(of: id).allSatisfy { !$0.contains("c2pa") })
            let keys = try await stack.storage().list(prefix: "captures/\(id)/").objects.map(\.key)
            #expect(!keys.isEmpty && keys.allSatisfy { !$0.contains("c2pa") }, "\(keys)")
            for name in ["c2pa.jpg", "manifest.c2pa"] {
                APIRefusal.notFound.expectEnvelope(try await client.send("GET", stack.link(id, name, expires: Date() + 600)), name)
            }
        }

        @Test("is made once, however often the records arrive", .timeLimit(.minutes(6)))
        func once() async throws {
            let stack = try LocalStack.required()
            let capture = try await SignedCapture.make()
            let objects = "SELECT name, object_key, created_at FROM media_objects WHERE capture_id = '\(capture.id)' ORDER BY name"
            let (manifests, media) = (try await stack.manifests(of: capture.id), try await stack.sql(objects))
            #expect(manifests.count == 1 && media.count { $0.contains("c2pa") } == 2)
            let redelivery = try Redelivery(stack)
            let topics: [Topic] = [.mediaSynced, .depthAnalyzed, .attestationAppraised, .captureReceived]
            try await redelivery.awaitHandled(try await redelivery.replay(topics, key: capture.id))
            #expect(try await stack.manifests(of: capture.id) == manifests)
            #expect(try await stack.sql(objects) == media)
            let keys = try await stack.storage().list(prefix: "captures/\(capture.id)/").objects.map(\.key)
            #expect(keys.count { $0.contains("/c2pa-") } == 1 && keys.count { $0.contains("/manifest-") } == 1, "\(keys)")
        }

        @Test("is made once when two assemblers have all parts at the same time", .timeLimit(.minutes(6)))
        func twoAssemblers() async throws {
            let stack = try LocalStack.required()
            try await stack.control("start", "evidence-assembler", 2)
            let client = try TestClient.current()
            var device = try await client.device()
            var ids: [String] = []
            for _ in 0..<6 { ids.append(try await client.capture(&device, CaptureParts())) }
            for id in ids {
                #expect(try await client.settled(id).evidence("content_credentials.status") == "embedded")
                #expect(try await stack.manifests(of: id).count == 1)
                #expect(try await stack.mediaNames(of: id).count { $0.contains("c2pa") } == 2)
            }
            try await stack.control("stop", "evidence-assembler", 2)
        }
    }
}
