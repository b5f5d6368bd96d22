import CaptureProtocol
import ContentCredentials
import Foundation
import Imaging
import JPEGMetadata
import ManifestStore
import Models
import Scene
import Signing
import TestSupport
import Testing

extension SystemTests {
    @Suite("Verifying files of others", .verifyingGateway(6))
    struct ForeignVerifications {
        @Test(
            "our manifest's id under another signature is not ours, whether or not somebody vouches for the signer", .timeLimit(.minutes(4))
        )
        func impostor() async throws {
            let gateway = try VerifyingGateway.required()
            let capture = try await SignedCapture.make()
            let claim = try await capture.claim()
            let signers = [("valid", try DevelopmentAuthority.Identity.fresh()), ("trusted", gateway.listed)]
            for photo in [capture.parts.photo, try ForeignPhoto.plain()] {
                for (state, signer) in signers {
                    let forged = try signer.sign(claim, into: photo)
                    #expect(try CredentialFile.report(forged, trusting: signer.rootPEM).activeManifest == "urn:c2pa:\(capture.id):rial")
                    let answer = try await gateway.verify(forged)
                    #expect(answer.verdict == "c2pa_only" && answer.validationState == state, "\(answer.text)")
                    #expect(answer.captureID == nil && answer.data["evidence"] == nil && answer.data["confidence_level"] == nil)
                }
            }
        }

        @Test(
            "a certificate of a listed authority with our serial number and the label of a HIGH capture make no picture ours",
            .timeLimit(.minutes(4)))
        func secondAuthority() async throws {
            let gateway = try VerifyingGateway.required()
            let stack = try LocalStack.required()
            let capture = try await SignedCapture.make()
            let claim = try await capture.claim()
            let gradient = try JPEGEncoder.encode(
                RGBImage(width: 64, height: 64, pixels: (0..<64 * 64).flatMap { [UInt8](repeating: UInt8($0 % 64 * 4), count: 3) }),
                quality: 90)
            let photos = [gradient, capture.parts.photo, try JPEGSegments.publicCopy(of: capture.parts.photo)]
            // The root is listed for foreign signers and, by mistake, also as our own.
            let mistaken = try CredentialFile(Array((try stack.signingRoot + gateway.listed.rootPEM).utf8))
            let settings = ["RIAL_LIMIT_VERIFICATIONS_PER_HOUR": "0", "RIAL_C2PA_OWN_ANCHORS": mistaken.path]
            let client = try await stack.startGateway(7, settings: settings)
            let recorded = "SELECT manifest_id || ' ' || certificate_serial FROM content_credentials WHERE capture_id = '\(capture.id)'"
            for photo in photos {
                let forged = try gateway.listed.sign(claim, into: photo)
                let report = try CredentialFile.report(forged, trusting: gateway.listed.rootPEM)
                #expect(try await stack.sql(recorded) == ["\(report.activeManifest ?? "") \(report.certificateSerial ?? "")"])
                let answer = try await gateway.verify(forged)
                #expect(answer.verdict == "c2pa_only" && answer.validationState == "trusted", "\(answer.text)")
                #expect(answer.captureID == nil && answer.data["confidence_level"] == nil)
                let other = try await client.verify([FormPart("file", forged)])
                #expect(other.verdict == "c2pa_only" && other.validationState == "valid", "\(other.text)")
                #expect(other.manifest["own_signer"] as? Bool == true && other.captureID == nil)
            }
            try await stack.control("stop", "gateway", 7)
        }

        @Test("our manifest store around another picture does not make it ours", .timeLimit(.minutes(4)))
        func transplanted() async throws {
            let gateway = try VerifyingGateway.required()
            let capture = try await SignedCapture.make()
            let copy = try await capture.media("c2pa.jpg")
            let store = try #require(EmbeddedStore(jpegHead: copy))
            let segments = copy[store.range]
            let photo = try ForeignPhoto.plain()
            // At the same position, at the start; and our store before another scan.
            let scanless = copy.prefix(copy.count - copy.scan.count)
            let files = [
                Array(photo.prefix(2)) + segments + photo.dropFirst(2), Array(copy.prefix(store.range.upperBound)) + photo.dropFirst(2),
                Array(scanless) + photo.scan,
            ]
            for file in files {
                let answer = try await gateway.verify(file)
                #expect(answer.verdict == "c2pa_only" && answer.validationState == "invalid", "\(answer.text)")
                #expect(answer.captureID == nil)
            }
        }

        @Test("a third party's signed photo is shown with its claims and its signer", .timeLimit(.minutes(4)))
        func stranger() async throws {
            let gateway = try VerifyingGateway.required()
            let claim = try await SignedCapture.make().claim()
            let other = CaptureClaim(
                captureID: CaptureID(), capturedAt: claim.capturedAt ?? Date(), evidence: try await ForeignPhoto.evidence(),
                confidence: .high)
            for (state, signer) in [("valid", try DevelopmentAuthority.Identity.fresh()), ("trusted", gateway.listed)] {
                let file = try signer.sign(other, into: ForeignPhoto.plain())
                let answer = try await gateway.verify(file)
                #expect(answer.status == 200 && answer.verdict == "c2pa_only" && answer.validationState == state, "\(answer.text)")
                #expect(answer.data["file_hash"] as? String == file.sha256 && answer.data["note"] is String)
                #expect(answer.manifest["issuer"] as? String == "rial." && answer.manifest["generator"] as? String == "rial./1.0.0")
                #expect(answer.manifest["title"] as? String == "\(other.captureID).jpg")
                let labels = answer.manifest["assertions"] as? [String] ?? []
                #expect(labels.contains("c2pa.actions.v2") && labels.contains("app.rial.confidence"), "\(labels)")
                #expect(answer.validationCodes.contains("signingCredential.untrusted") == (state == "valid"))
                #expect(answer.validationCodes.contains("assertion.dataHash.match"), "\(answer.validationCodes)")
                // Without a trusted time stamp the signing time is only a claim, so it is not shown.
                #expect(answer.manifest["signed_at"] is String == false)
            }
        }

        @Test("a photo without credentials has no record, nor does our public copy after an editor saved it", .timeLimit(.minutes(4)))
        func plain() async throws {
            let gateway = try VerifyingGateway.required()
            let capture = try await SignedCapture.make()
            let copy = try await capture.media("c2pa.jpg")
            let again = try JPEGEncoder.encode(JPEGDecoder.decodeRGB(copy, fitting: 10_000), quality: 71)
            for file in [try ForeignPhoto.plain(), again] {
                let answer = try await gateway.verify(file)
                #expect(answer.status == 200 && answer.verdict == "no_record", "\(answer.text)")
                #expect(Set(answer.data.keys) == ["status", "file_hash"] && answer.data["file_hash"] as? String == file.sha256)
            }
        }

        @Test("a remote manifest is named and not fetched", .timeLimit(.minutes(4)))
        func remote() async throws {
            let gateway = try VerifyingGateway.required()
            let server = try LoopbackServer { _ in (404, []) }
            for host in ["127.0.0.1", "localhost"] {
                let url = "http://\(host):\(server.port)/latest/meta-data"
                let answer = try await gateway.verify(ForeignPhoto.pointing(to: url))
                #expect(answer.status == 200 && answer.verdict == "c2pa_only" && answer.validationState == "remote", "\(answer.text)")
                #expect(answer.manifest["remote_url"] as? String == url)
            }
            #expect(server.connections == 0)
            // The server would have noticed a request, so the test can fail.
            #expect(try await TestClient(url: "http://127.0.0.1:\(server.port)").send("GET", "/latest/meta-data").status == 404)
            #expect(server.connections == 1)
        }

        @Test("our own manifest without its photo is recognised by its bytes alone", .timeLimit(.minutes(4)))
        func manifest() async throws {
            let gateway = try VerifyingGateway.required()
            let manifest = try await SignedCapture.make().media("manifest.c2pa")
            #expect(try await gateway.verify(manifest, name: "manifest.c2pa").matched == "manifest")
            let other = manifest.changed(at: manifest.middleOfPadding)
            let answer = try await gateway.verify(other, name: "manifest.c2pa")
            // There is no file that the hash could match; this does not mean that the manifest was changed.
            #expect(answer.verdict == "c2pa_only" && answer.validationState == "invalid", "\(answer.text)")
            #expect(answer.manifest["detached"] as? Bool == true)
            #expect((answer.data["note"] as? String)?.contains("manifest without the file") == true, "\(answer.text)")
        }
    }
}

/// Photos that were not made by our devices.
enum ForeignPhoto {
    /// A unique photo.
    static func plain() throws -> [UInt8] {
        let room = try #require(CaptureParts.room)
        let comment = Array("\(UUID())".utf8)
        return Array(room.jpeg.prefix(2)) + [0xff, 0xfe, 0, UInt8(comment.count + 2)] + comment + room.jpeg.dropFirst(2)
    }

    /// XMP with `dcterms:provenance` (C2PA 2.4 §11.5), without an embedded manifest.
    static func pointing(to url: String) throws -> [UInt8] {
        let xmp = """
            <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">\
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
            xmlns:dcterms="http://purl.org/dc/terms/" dcterms:provenance="\(url)"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
            """
        let payload = Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(xmp.utf8)
        let photo = try plain()
        let length = payload.count + 2
        return Array(photo.prefix(2)) + [0xff, 0xe1, UInt8(length >> 8), UInt8(length & 0xff)] + payload + photo.dropFirst(2)
    }

    /// The evidence of any complete capture of the stack.
    static func evidence() async throws -> EvidencePackage {
        let rows = try await LocalStack.required().sql("SELECT evidence FROM captures WHERE status = 'complete' LIMIT 1")
        return try WireJSON.decode(EvidencePackage.self, from: try #require(rows.first).utf8)
    }
}
