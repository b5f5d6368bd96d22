import CaptureProtocol
import Foundation
import ManifestStore
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("Verifying files of ours", .verifyingGateway(6))
    struct Verifications {
        /// The published files of a capture, with the roles reported for them.
        private static let published = [
            ("c2pa.jpg", "c2pa_copy"), ("thumbnail.jpg", "thumbnail"), ("manifest.c2pa", "manifest"),
            ("photo-828.jpg", "thumbnail"), ("og.jpg", "share_picture"), ("depth-preview.png", "depth_preview"),
        ]

        @Test("the original and every published file are recognised, by their bytes and by their digests", .timeLimit(.minutes(4)))
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
                    // All captures of the room have the same depth picture.
                    if role == "depth_preview" { continue }
                    #expect(answer.captureID == capture.id)
                    #expect(answer.data["confidence_level"] as? String == "high")
                    #expect(answer.data["capture_mode"] as? String == "full" && answer.data["media_stored"] as? Bool == true)
                    #expect(answer.data["verification_url"] as? String == "\(stack.url)/verify/\(capture.id)")
                    #expect(answer.evidence("content_credentials.status") == "embedded")
                    #expect((answer.data["other_claims"] as? [Any])?.isEmpty == true)
                    #expect(answer.headers["cache-control"] == "no-store")
                    // The public form: neither counter nor precise location.
                    #expect(!answer.text.contains("\"counter\"") && !answer.text.contains("45.764043"))
                }
            }
            #expect(try await gateway.verify(hash: capture.parts.photo.sha256.uppercased()).captureID == capture.id)
        }

        @Test("unpublished files and incomplete captures are not recognised", .timeLimit(.minutes(5)))
        func unknown() async throws {
            let gateway = try VerifyingGateway.required()
            let stack = try LocalStack.required()
            let capture = try await SignedCapture.make()
            let digests = try await stack.sql(
                """
                SELECT encode(sha256, 'hex') FROM media_objects
                WHERE capture_id = '\(capture.id)' AND name IN ('depth.gz', 'metadata.json')
                """)
            #expect(digests.count == 2)
            for digest in digests + [capture.parts.digests.depth.hex, String(repeating: "0", count: 64)] {
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

        @Test("a copy with invisible changes is recognised by its manifest", .timeLimit(.minutes(4)))
        func padding() async throws {
            let gateway = try VerifyingGateway.required()
            let capture = try await SignedCapture.make()
            let copy = try await capture.media("c2pa.jpg")
            // Changes the box instance number in the segment's header: the store is unchanged.
            let store = try #require(EmbeddedStore(jpegHead: copy))
            let other = copy.changed(at: store.range.lowerBound + 7)
            APIRefusal.hashNotFound.expectEnvelope(try await gateway.verify(hash: other.sha256))
            let answer = try await gateway.verify(other)
            #expect(answer.verdict == "verified" && answer.matched == "c2pa_copy" && answer.captureID == capture.id, "\(answer.text)")
            #expect(answer.data["file_hash"] as? String == other.sha256)

            // The unused padding of the signature's box is part of the store, so a change differs from the recorded store.
            let padded = try await gateway.verify(copy.changed(at: copy.middleOfPadding))
            #expect(padded.verdict == "c2pa_only" && padded.validationState == "valid", "\(padded.text)")
            #expect(padded.manifest["own_signer"] as? Bool == true && padded.captureID == nil)
        }

        @Test("a copy from before digests were stored is recognised once they are computed", .timeLimit(.minutes(5)))
        func oldCopies() async throws {
            let gateway = try VerifyingGateway.required()
            let stack = try LocalStack.required()
            var files: [(id: String, copy: [UInt8], other: [UInt8])] = []
            for _ in 0..<3 {
                let capture = try await SignedCapture.make()
                let copy = try await capture.media("c2pa.jpg")
                files.append((capture.id, copy, copy.changed(at: try #require(EmbeddedStore(jpegHead: copy)).range.lowerBound + 7)))
            }
            let ids = files.map { "'\($0.id)'" }.joined(separator: ", ")
            let recorded = """
                SELECT encode(leaf_sha256, 'hex') || encode(manifest_sha256, 'hex') FROM content_credentials
                WHERE capture_id IN (\(ids)) ORDER BY capture_id
                """
            let before = try await stack.sql(recorded)
            #expect(before.count == 3 && Set(before.map { $0.prefix(64) }).count == 1)
            try await stack.control("stop", "evidence-assembler")
            // As written by the previous schema; one has a store that can no longer be found.
            _ = try await stack.sql(
                "UPDATE content_credentials SET leaf_sha256 = NULL, manifest_sha256 = NULL WHERE capture_id IN (\(ids))")
            let lost = try await stack.sql(
                """
                UPDATE media_objects SET object_key = object_key || '-gone'
                WHERE capture_id = '\(files[2].id)' AND name = 'manifest.c2pa' RETURNING 1
                """)
            #expect(lost.first == "1")
            for file in files {
                #expect(try await gateway.verify(file.copy).captureID == file.id, "by its file")
                let answer = try await gateway.verify(file.other)
                #expect(answer.verdict == "c2pa_only" && answer.captureID == nil, "\(answer.text)")
            }
            try await stack.control("start", "evidence-assembler")
            try await eventually("the digests are computed again") {
                let filled = try await stack.sql(recorded).count
                let metrics = try await stack.admin("evidence-assembler", "/metrics").text
                return filled == 2 && metrics.contains("rial_credential_digests_missing 1")
            }
            #expect(Set(try await stack.sql(recorded)).isSubset(of: Set(before)))
            for (index, file) in files.enumerated() {
                let answer = try await gateway.verify(file.other)
                #expect((answer.verdict == "verified" && answer.captureID == file.id) == (index < 2), "\(answer.text)")
                #expect(try await gateway.verify(file.copy).captureID == file.id)
            }
            let metrics = try await stack.admin("evidence-assembler", "/metrics").text
            #expect(metrics.contains("rial_credential_digests_failed_total{reason=\"object_missing\"}"), "\(metrics)")
            _ = try await stack.sql(
                "UPDATE media_objects SET object_key = replace(object_key, '-gone', '') WHERE capture_id = '\(files[2].id)'")
        }

        @Test("a changed copy is reported as changed and nothing else", .timeLimit(.minutes(4)))
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
                // Neither as a field nor inside the explanation of a code.
                for secret in [capture.id, "app.rial", "iPhone", "rial development"] { #expect(!answer.text.contains(secret), "\(secret)") }
                #expect(answer.captureID == nil)
            }
        }

        @Test("two captures of one photo are both listed, the better first, then the older", .timeLimit(.minutes(5)))
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
