import Foundation
import SimulatedDevice
import Testing

extension SystemTests {
    @Suite("Verifying files of ours", .verifyingGateway(6))
    struct Verifications {
        /// Every file of a capture that others can have, and as what it is known.
        private static let published = [
            ("c2pa.jpg", "c2pa_copy"), ("public.jpg", "public_copy"), ("thumbnail.jpg", "thumbnail"), ("manifest.c2pa", "manifest"),
            ("photo-828.jpg", "thumbnail"), ("og.jpg", "share_picture"), ("depth-preview.png", "depth_preview"),
        ]

        @Test("the original and every published file are known, by their bytes and by their digests", .timeLimit(.minutes(1)))
        func known() async throws {
            let gateway = try VerifyingGateway.required()
            let stack = try LocalStack.required()
            let capture = try await SignedCapture.make()
            var files = [(capture.parts.photo, "original")]
            for (name, role) in Self.published { files.append((try await capture.media(name), role)) }
            for (bytes, role) in files {
                for answer in [try await gateway.verify(bytes), try await gateway.verify(hash: bytes.sha256)] {
                    #expect(answer.status == 200 && answer.verdict == "verified" && answer.matched == role, "\(role): \(answer.text)")
                    #expect(answer.data["file_hash"] as? String == bytes.sha256)
                    // All captures of the room have one depth picture.
                    if role == "depth_preview" { continue }
                    #expect(answer.captureID == capture.id)
                    #expect(answer.data["confidence_level"] as? String == "high")
                    #expect(answer.data["capture_mode"] as? String == "full" && answer.data["media_stored"] as? Bool == true)
                    #expect(answer.data["verification_url"] as? String == "\(stack.url)/verify/\(capture.id)")
                    #expect(answer.evidence("content_credentials.status") == "embedded")
                    #expect((answer.data["other_claims"] as? [Any])?.isEmpty == true)
                    #expect(answer.headers["cache-control"] == "no-store")
                    // The public form: neither counter nor precise place.
                    #expect(!answer.text.contains("\"counter\"") && !answer.text.contains("45.764043"))
                }
            }
            #expect(try await gateway.verify(hash: capture.parts.photo.sha256.uppercased()).captureID == capture.id)
        }

        @Test("what was never published is not known, nor is a capture before it is complete", .timeLimit(.minutes(2)))
        func unknown() async throws {
            let gateway = try VerifyingGateway.required()
            let stack = try LocalStack.required()
            let capture = try await SignedCapture.make()
            let digests = try await stack.sql(
                "SELECT encode(sha256, 'hex') FROM media_objects WHERE capture_id = '\(capture.id)' AND name IN ('depth.gz', 'metadata.json')"
            )
            #expect(digests.count == 2)
            for digest in digests + [capture.parts.digests.depth.lowerHex, String(repeating: "0", count: 64)] {
                APIRefusal.hashNotFound.expectEnvelope(try await gateway.verify(hash: digest))
            }
            for wrong in [
                "abc", String(repeating: "g", count: 64), String(repeating: "a", count: 63), String(repeating: "a", count: 66), "%00",
            ] {
                APIRefusal.validationError.expectEnvelope(try await gateway.verify(hash: wrong), wrong)
            }
            var device = try await TestClient.current().device()
            let parts = try CaptureParts()
            let id = try await stack.without(["evidence-assembler"]) {
                let id = try await TestClient.current().capture(&device, parts)
                APIRefusal.hashNotFound.expectEnvelope(try await gateway.verify(hash: parts.photo.sha256))
                #expect(try await gateway.verify(parts.photo).verdict == "no_record")
                return id
            }
            _ = try await TestClient.current().settled(id)
            #expect(try await gateway.verify(hash: parts.photo.sha256).captureID == id)
        }

        @Test("a copy that differs where nothing can be seen is told by its manifest", .timeLimit(.minutes(1)))
        func padding() async throws {
            let gateway = try VerifyingGateway.required()
            let capture = try await SignedCapture.make()
            let copy = try await capture.media("c2pa.jpg")
            let other = copy.changed(at: copy.middleOfPadding)
            APIRefusal.hashNotFound.expectEnvelope(try await gateway.verify(hash: other.sha256))
            let answer = try await gateway.verify(other)
            #expect(answer.verdict == "verified" && answer.matched == "c2pa_copy" && answer.captureID == capture.id, "\(answer.text)")
            #expect(answer.data["file_hash"] as? String == other.sha256)
        }

        @Test("of a copy that was changed nothing is repeated but that it was changed", .timeLimit(.minutes(1)))
        func changed() async throws {
            let gateway = try VerifyingGateway.required()
            let capture = try await SignedCapture.make()
            let copy = try await capture.media("c2pa.jpg")
            let assertion = try #require(Data(copy).range(of: Data("secure_enclave".utf8))).lowerBound
            let changes = [
                (copy.changed(at: copy.scan.startIndex + copy.scan.count / 2), "assertion.dataHash.mismatch"),
                (copy.changed(at: assertion), "assertion.hashedURI.mismatch"),
                (copy + [0], "assertion.dataHash.mismatch"),
            ]
            for (file, code) in changes {
                let answer = try await gateway.verify(file)
                #expect(answer.status == 200 && answer.verdict == "c2pa_only" && answer.validationState == "invalid", "\(answer.text)")
                #expect(answer.validationCodes.contains(code), "\(answer.validationCodes)")
                for field in ["generator", "title", "issuer", "signed_at"] {
                    #expect(answer.manifest[field] is String == false, "\(field)")
                }
                #expect((answer.manifest["assertions"] as? [Any])?.isEmpty == true)
                // Neither as a field nor inside of what explains a code.
                for secret in [capture.id, "app.rial", "iPhone", "rial development"] { #expect(!answer.text.contains(secret), "\(secret)") }
                #expect(answer.captureID == nil)
            }
        }

        @Test("two captures of one photo both count, the better first, then the older", .timeLimit(.minutes(2)))
        func claims() async throws {
            let gateway = try VerifyingGateway.required()
            let client = try TestClient.current()
            let parts = try CaptureParts()
            var ids: [String] = []
            for isBound in [false, true, true] {
                var device = try await client.device()
                let digests = parts.digests
                let assertion = try device.captureAssertion(
                    photoDigest: digests.photo, depthDigest: digests.depth, metadataDigest: digests.metadata)
                let sent = try await client.submit(&device, parts.form(assertion: isBound ? assertion : nil))
                let id = try #require(sent.data["capture_id"] as? String)
                #expect(try await client.settled(id).data["confidence_level"] as? String == (isBound ? "high" : "medium"))
                ids.append(id)
            }
            for answer in [try await gateway.verify(parts.photo), try await gateway.verify(hash: parts.photo.sha256)] {
                #expect(answer.captureID == ids[1] && answer.data["confidence_level"] as? String == "high")
                let others = answer.data["other_claims"] as? [[String: Any]] ?? []
                #expect(others.map { $0["capture_id"] as? String } == [ids[2], ids[0]])
                #expect(others.map { $0["confidence_level"] as? String } == ["high", "medium"])
                #expect(others.allSatisfy { $0["matched"] as? String == "original" && $0["uploaded_at"] is String })
            }
        }
    }
}
