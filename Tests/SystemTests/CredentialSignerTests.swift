import Foundation
import Models
import Signing
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("A signer whose key is in a token", .enabled(if: CredentialToken.isInstalled, "softhsm2 and opensc are not installed"))
    struct CredentialSigners {
        @Test(
            "signs captures with a key that never leaves it, waits while it is away, and goes on when it is back", .timeLimit(.minutes(8)))
        func token() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            let token = try await CredentialToken()
            let (settings, root) = try token.settings()
            let serial = try SigningCertificate(pem: String(contentsOfFile: settings["RIAL_C2PA_CERTIFICATES"] ?? "", encoding: .utf8))
                .serialNumber
            try await stack.assembling(with: settings) {
                let capture = try await SignedCapture.make()
                let report = try CredentialFile.report(await capture.media("c2pa.jpg"), trusting: root)
                #expect(report.state == .trusted && report.certificateSerial == serial && report.algorithm?.lowercased() == "ed25519")
                #expect(try CredentialFile.report(await capture.media("c2pa.jpg"), trusting: stack.signingRoot).state == .valid)
                let row = "SELECT certificate_serial FROM content_credentials WHERE capture_id = '\(capture.id)'"
                #expect(try await stack.sql(row) == [serial])
                try await expectNotExtractable(token)

                var device = try await client.device()
                var (failed, intake) = ("", [String: [UInt8]]())
                try await stack.without(["depth-analyzer", "upload-sync"]) {
                    failed = try await client.capture(&device, CaptureParts())
                    intake = try await stack.takeIntake(of: failed)
                }
                _ = try await client.settled(failed, as: "failed")
                try token.remove()
                let id = try await client.capture(&device, CaptureParts())
                do {
                    try await expectReadiness(false)
                    try await eventually("all parts of the capture are there") {
                        try await stack.sql("SELECT count(*) FROM evidence_parts WHERE capture_id = '\(id)'") == ["3"]
                    }
                    #expect(try await client.show(id).data["status"] as? String == "processing")
                    #expect(try await stack.manifests(of: id).isEmpty)
                    try await expectOthersGoOn(past: id)
                    // The reason for which the other capture failed is removed, so it waits for its signature as well.
                    try await stack.putBack(intake)
                    _ = try await stack.rial(["dlq", "redrive", "--capture", failed])
                    try await eventually("it waits as well") { try await client.show(failed).data["status"] as? String == "processing" }
                } catch {
                    try token.putBack()
                    throw error
                }
                try token.putBack()
                try await expectReadiness(true)
                let view = try await client.settled(id, within: .seconds(90))
                #expect(view.evidence("content_credentials.status") == "embedded")
                #expect(try await stack.manifests(of: id).count == 1)
                #expect(try await client.settled(failed, within: .seconds(90)).evidence("content_credentials.status") == "embedded")
                #expect(try await stack.sql("SELECT count(*) FROM captures WHERE id = '\(id)' AND failure IS NOT NULL") == ["0"])
            }
        }

        /// Expects that captures without a signature complete while others wait for theirs, in all partitions.
        private func expectOthersGoOn(past waiting: String) async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device(defect: .otherRoot)
            for _ in 0..<12 {
                let sent = try await client.submit(&device, CaptureParts().form(assertion: nil))
                let id = try #require(sent.data["capture_id"] as? String, "\(sent.text)")
                let view = try await client.settled(id)
                #expect(view.evidence("content_credentials.status") == "withheld")
            }
            let metrics = try await stack.admin("evidence-assembler", "/metrics").text
            #expect(!metrics.contains("rial_circuit_state{dependency=\"signer\"} 0"), "\(metrics)")
            #expect(try await client.show(waiting).data["status"] as? String == "processing")
        }

        private func expectNotExtractable(_ token: CredentialToken) async throws {
            let objects = try await token.tool(["--list-objects", "--type", "privkey"])
            #expect(objects.contains(CredentialToken.keyLabel) && objects.contains("never extractable"), "\(objects)")
            #expect(objects.contains("always sensitive"), "\(objects)")
            // The token's files do not contain it as plain text either.
            let marks = ["PRIVATE KEY", "-----BEGIN"].map { Data($0.utf8) }
            #expect(try token.files().allSatisfy { file in marks.allSatisfy { file.range(of: $0) == nil } })
        }

        /// Expects the assembler's readiness to reflect the signer's state within a minute.
        private func expectReadiness(_ isUp: Bool) async throws {
            let stack = try LocalStack.required()
            try await eventually("the assembler sees that its signer is \(isUp ? "back" : "away")") {
                let ready = try await stack.admin("evidence-assembler", "/readyz")
                let metrics = try await stack.admin("evidence-assembler", "/metrics").text
                return ready.status == (isUp ? 200 : 503)
                    && ready.text.contains("\"signer\":\"\(isUp ? "connected" : "unreachable")\"")
                    && metrics.contains("rial_dependency_up{dependency=\"signer\"} \(isUp ? 1 : 0)")
            }
            #expect(try await stack.admin("evidence-assembler", "/livez").status == 200)
        }
    }
}
