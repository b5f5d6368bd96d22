import Foundation
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("Verifying hostile files", .verifyingGateway(6))
    struct HostileVerifications {
        /// Expects a healthy gateway without remaining processes and files.
        private func expectUnharmed(_ what: String) async throws {
            let gateway = try VerifyingGateway.required()
            #expect(try await gateway.client.send("GET", "/health").status == 200, "\(what)")
            try await eventually(within: .seconds(15), "nothing is left of \(what)") {
                try gateway.scratchFiles().isEmpty && gateway.inspectors().isEmpty
            }
        }

        private func expect(_ answer: Answer, _ outcome: HostileUpload.Outcome, _ what: String) {
            switch outcome {
            case .refused(let code): code.expectEnvelope(answer, what)
            case .noRecord: #expect(answer.status == 200 && answer.verdict == "no_record", "\(what): \(answer.text)")
            case .credentials(let states):
                #expect(answer.status == 200 && answer.verdict == "c2pa_only", "\(what): \(answer.text)")
                #expect(states.contains(answer.validationState ?? ""), "\(what): \(answer.text)")
            }
        }

        @Test(
            "a file that was made to break its reader has an answer within its limits", .timeLimit(.minutes(4)),
            arguments: HostileUpload.all)
        func hostile(upload: HostileUpload) async throws {
            let gateway = try VerifyingGateway.required()
            let bytes = try upload.bytes()
            let start = ContinuousClock.now
            let answer = try await gateway.verify(bytes, name: "x.jpg")
            // The inspector's is 20 s.
            #expect(ContinuousClock.now - start < .seconds(45))
            expect(answer, upload.outcome, upload.name)
            try await expectUnharmed(upload.name)
        }

        @Test("a truncated signed photo is never taken for a complete one", .timeLimit(.minutes(4)))
        func truncated() async throws {
            let gateway = try VerifyingGateway.required()
            let copy = try await SignedCapture.make().media("c2pa.jpg")
            for part in [copy.count - 1, copy.count - 1000, copy.count / 2, 20_000, 5000, 700, 40] {
                let answer = try await gateway.verify(Array(copy.prefix(part)))
                let isHonest =
                    answer.verdict == "no_record"
                    || answer.verdict == "c2pa_only" && ["invalid", "unreadable"].contains(answer.validationState ?? "")
                #expect(answer.status == 200 && isHonest, "\(part) of \(copy.count): \(answer.text)")
            }
            try await expectUnharmed("cut photos")
        }

        @Test("a video of 100 MB of zeros is inspected without being held in memory; one byte more is refused", .timeLimit(.minutes(8)))
        func large() async throws {
            let gateway = try VerifyingGateway.required()
            _ = try await gateway.verify(ForeignPhoto.plain())
            try gateway.forgetPeak()
            let before = try gateway.peakMemory()
            let video = HostileUpload.video()
            let answer = try await gateway.verify(video, name: "zeros.mp4")
            expect(answer, .noRecord, "zeros")
            #expect(answer.data["file_hash"] as? String == video.sha256)
            let grown = try gateway.peakMemory() - before
            #expect(grown < 48 << 20, "the gateway grew by \(grown >> 20) MB")
            try await expectUnharmed("zeros")
            APIRefusal.payloadTooLarge.expectEnvelope(
                try await gateway.verify(HostileBytes.ftyp + [UInt8](repeating: 0, count: 100 << 20)), "a video over 100 MiB")
            let photo = try HostileUpload.photo(bytes: 21 << 20)
            APIRefusal.payloadTooLarge.expectEnvelope(try await gateway.verify(photo), "a photo over 20 MiB")
            #expect(try await gateway.verify(Array(photo.prefix(20 << 20))).status == 200, "a photo of 20 MiB")
            try await expectUnharmed("files that are too large")
        }

        @Test("a malformed form is refused with its error", .timeLimit(.minutes(4)))
        func forms() async throws {
            let gateway = try VerifyingGateway.required()
            let photo = try ForeignPhoto.plain()
            let path = TestClient.verifications
            APIRefusal.unsupportedMediaType.expectEnvelope(
                try await gateway.client.send("POST", path, headers: [("Content-Type", "image/jpeg")], body: photo))
            APIRefusal.unsupportedMediaType.expectEnvelope(try await gateway.client.send("POST", path, body: photo))
            APIRefusal.validationError.expectEnvelope(
                try await gateway.client.send("POST", path, headers: [("Content-Type", "multipart/form-data")], body: photo))
            let twice = [FormPart("file", photo), FormPart("file", photo)]
            APIRefusal.validationError.expectEnvelope(try await gateway.client.verify(twice), "two files")
            APIRefusal.validationError.expectEnvelope(
                try await gateway.client.verify([FormPart("photo", photo.prefix(10) + [])]), "no file")
            let padded = [FormPart("note", [UInt8](repeating: 0x61, count: 70_000)), FormPart("file", photo)]
            APIRefusal.validationError.expectEnvelope(try await gateway.client.verify(padded), "an unknown part of 70 kB")
            let note = [FormPart("note", Array("hello".utf8)), FormPart("file", photo)]
            #expect(try await gateway.client.verify(note).verdict == "no_record", "a small unknown part")
            let type = ("Content-Type", "multipart/form-data; boundary=\(TestClient.boundary)")
            let cut = Array(TestClient.encode([FormPart("file", photo)]).dropLast(40))
            APIRefusal.validationError.expectEnvelope(try await gateway.client.send("POST", path, headers: [type], body: cut), "cut short")
            try await expectUnharmed("bodies that are no forms")
        }

        @Test("a sender that disconnects leaves nothing behind", .timeLimit(.minutes(4)))
        func departed() async throws {
            let gateway = try VerifyingGateway.required()
            let body = try TestClient.encode([FormPart("file", HostileUpload.photo(bytes: 1 << 20))])
            let head =
                "POST \(TestClient.verifications) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n"
                + "Content-Type: multipart/form-data; boundary=\(TestClient.boundary)\r\n\r\n"
            for share in [2, 3, 50] {
                let bytes = Array(head.utf8) + body.prefix(body.count / share)
                _ = try await RawConnection.exchange(port: gateway.client.port, bytes, closing: true, seconds: 10)
            }
            try await expectUnharmed("a sender who went away")
            try await eventually("its place is free again") {
                try await gateway.admin("/metrics").contains("rial_verifications_in_progress 0")
            }
        }
    }
}
