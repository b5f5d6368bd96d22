import Foundation
import Models
import Signing
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite(
        "Time stamps of signed copies",
        .enabled(if: OpenSSL.isPresent, "openssl is missing"))
    struct CredentialTimestamps {
        @Test(
            "are inside where an authority answers; without it captures complete, and their credentials follow when it is back",
            .timeLimit(.minutes(8)))
        func authority() async throws {
            let stack = try LocalStack.required()
            let authority = try TimestampAuthority()
            try await stack.assembling(with: ["RIAL_C2PA_TIMESTAMP_AUTHORITY": authority.url.absoluteString]) {
                let capture = try await SignedCapture.make()
                try await expectStamped(capture.id, copy: await capture.media("c2pa.jpg"), authority)

                authority.close()
                let waiting = try await expectPending()
                try authority.open(.refusing)
                let refused = try await expectPending()
                // Retries while the authority refuses have no effect.
                try await eventually("both wait, as a metric tells") {
                    try await stack.admin("evidence-assembler", "/metrics").text.contains("rial_credentials_waiting 2")
                }
                authority.close()
                try authority.open()
                let client = try TestClient.current()
                for id in [waiting, refused] {
                    try await eventually("the credentials of \(id) follow") {
                        try await client.show(id).evidence("content_credentials.status") == "embedded"
                    }
                    let view = try await client.show(id)
                    #expect(view.evidence("content_credentials.reason") == nil && view.data["confidence_level"] as? String == "high")
                    let url = try #require(view.data["c2pa_media_url"] as? String)
                    let copy = try await client.send("GET", String(url.dropFirst(client.url.count)))
                    try await expectStamped(id, copy: copy.body, authority)
                }
            }
        }

        @Test("from an authority that does not respond delay one capture, not each", .timeLimit(.minutes(8)))
        func hanging() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            let authority = try LoopbackServer { _ in
                // It does not respond before all timeouts; this blocks only the server's own thread.
                Thread.sleep(forTimeInterval: 60)
                return nil
            }
            try await stack.assembling(with: ["RIAL_C2PA_TIMESTAMP_AUTHORITY": authority.url.absoluteString]) {
                var device = try await client.device()
                let start = ContinuousClock.now
                var ids: [String] = []
                for _ in 0..<6 { ids.append(try await client.capture(&device, CaptureParts())) }
                for id in ids {
                    let view = try await client.settled(id, within: .seconds(100))
                    #expect(view.evidence("content_credentials.reason") == "no_timestamp_yet")
                }
                // The library's timeout for one response is 30 s: two after each other would be more.
                #expect(ContinuousClock.now - start < .seconds(59))
                // Later captures do not wait, even while a retry hangs.
                for _ in 0..<3 {
                    let asked = ContinuousClock.now
                    _ = try await client.settled(client.capture(&device, CaptureParts()), within: .seconds(60))
                    #expect(ContinuousClock.now - asked < .seconds(28))
                    try await Task.sleep(for: .seconds(3))
                }
                let metrics = try await stack.admin("evidence-assembler", "/metrics").text
                let state = metrics.split(separator: "\n").first { $0.hasPrefix("rial_circuit_state{dependency=\"timestamp_authority\"}") }
                #expect(state?.hasSuffix(" 0") == false, "\(metrics)")
            }
        }

        /// Expects a time stamp of the authority in the copy.
        private func expectStamped(_ id: String, copy: [UInt8], _ authority: TimestampAuthority) async throws {
            let stack = try LocalStack.required()
            let report = try CredentialFile.report(copy, trusting: stack.signingRoot, timestamps: authority.rootPEM)
            #expect(report.state == .trusted)
            let text = try #require(report.signedAt)
            let strategy = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
            #expect(try abs(Date(text, strategy: strategy).timeIntervalSinceNow) < 300, "\(text)")
            // Readers with other anchors ignore the time stamp.
            #expect(try CredentialFile.report(copy, trusting: stack.signingRoot).signedAt == nil)
            #expect(try await stack.sql("SELECT has_timestamp FROM content_credentials WHERE capture_id = '\(id)'") == ["t"])
            #expect(try await stack.mediaNames(of: id).count { $0.contains("c2pa") } == 2)
        }

        /// Expects a capture to complete with pending Content Credentials.
        private func expectPending() async throws -> String {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            let view = try await client.settled(client.capture(&device, CaptureParts()))
            let id = try #require(view.data["id"] as? String)
            #expect(view.data["confidence_level"] as? String == "high")
            #expect(view.evidence("content_credentials.status") == "pending")
            #expect(view.evidence("content_credentials.reason") == "no_timestamp_yet")
            #expect(view.data["c2pa_media_url"] is NSNull && view.data["c2pa_manifest_url"] is NSNull)
            #expect((view.data["media_url"] as? String)?.contains("/public.jpg?") == true)
            #expect(try await stack.manifests(of: id).isEmpty)
            // A missing time stamp does not affect readiness.
            #expect(try await stack.admin("evidence-assembler", "/readyz").status == 200)
            return id
        }
    }
}
