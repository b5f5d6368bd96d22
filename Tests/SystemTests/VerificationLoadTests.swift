import AsyncHTTPClient
import Foundation
import NIOCore
import Signing
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

extension SystemTests {
    @Suite("A hundred verifications at once")
    struct VerificationLoad {
        @Test("of 5 MB each delay no upload, and fill neither memory nor disk", .timeLimit(.minutes(8)))
        func hundred() async throws {
            // All queued requests must be served, even on a slow machine, and all files have room where uploading is faster than reading:
            // half a gigabyte in half of this space.
            let settings = ["RIAL_HTTP_IDLE_TIMEOUT_SECONDS": "300", "RIAL_SCRATCH_MB": "1200"]
            try await VerifyingGatewayTrait(number: 6, settings: settings).around {
                let gateway = try VerifyingGateway.required()
                let capture = try await SignedCapture.make()
                // Half of them have Content Credentials, so that all steps are exercised.
                let stranger = try HostileUpload.photo(bytes: 5_000_000)
                let signed = try await capture.signedAnew(bytes: 5_000_000, by: gateway.listed)
                _ = try await gateway.verify(capture.media("c2pa.jpg"))
                try gateway.forgetPeak()
                let before = try gateway.peakMemory()

                let bodies = [stranger, signed].map { TestClient.encode([FormPart("file", $0)]) }
                let begun = ContinuousClock.now
                async let verified = Self.verify(bodies, count: 100, with: gateway.client)
                // Sequentially through the same gateway, as long as the verifications last.
                var device = try await gateway.client.device()
                var ids: [String] = []
                var slowest = Duration.zero
                for _ in 0..<10 {
                    let start = ContinuousClock.now
                    ids.append(try await gateway.client.capture(&device, CaptureParts()))
                    slowest = max(slowest, ContinuousClock.now - start)
                }
                for id in ids {
                    let view = try await gateway.client.settled(id, within: .seconds(60))
                    #expect(view.data["confidence_level"] as? String == "high")
                }
                let answers = try await verified
                let whole = ContinuousClock.now - begun
                #expect(answers.count == 100)
                #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.filter { $0.status != 200 }.map(\.text))")
                #expect(answers.count { $0.verdict == "no_record" } == 50 && answers.count { $0.validationState == "trusted" } == 50)
                // None waited behind all of them, however slow the machine is.
                #expect(slowest < max(.seconds(45), whole / 3), "an upload took \(slowest) of \(whole)")
                // Half a gigabyte was uploaded.
                let grown = try gateway.peakMemory() - before
                #expect(grown < 96 << 20, "the gateway grew by \(grown >> 20) MB")
                try await eventually(within: .seconds(15), "nothing is left") {
                    try gateway.inspectors().isEmpty && gateway.scratchFiles().isEmpty
                }
            }
        }

        /// Verifies the two bodies alternately.
        private static func verify(_ bodies: [[UInt8]], count: Int, with client: TestClient) async throws -> [Answer] {
            try await withThrowingTaskGroup(of: Answer.self) { group in
                for index in 0..<count {
                    group.addTask {
                        try await client.verify(.bytes(bodies[index % bodies.count]), within: .seconds(240))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }

        @Test("are refused with 503 and Retry-After when the queue is full", .timeLimit(.minutes(6)))
        func line() async throws {
            // The inspector never responds before its timeout.
            let program = FileManager.default.temporaryDirectory.appendingPathComponent("rial-inspector-\(UUID().uuidString)")
            let trial = "if [ \"$(/usr/bin/head -c 100 | /usr/bin/wc -c)\" -lt 100 ]; then exit 0; fi"
            try Data("#!/bin/sh\n\(trial)\nexec /bin/sleep 60\n".utf8).write(to: program)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
            defer { try? FileManager.default.removeItem(at: program) }
            let settings = [
                "RIAL_MAX_CONCURRENT_VERIFICATIONS": "1", "RIAL_HTTP_IDLE_TIMEOUT_SECONDS": "30", "RIAL_C2PA_INSPECTOR": program.path,
            ]
            try await VerifyingGatewayTrait(number: 7, settings: settings).around {
                let gateway = try VerifyingGateway.required()
                let photo = try ForeignPhoto.plain()
                let waiting = (0..<230).map { _ in Task { try await gateway.client.verify(photo, within: .seconds(120)) } }
                defer { for one in waiting { one.cancel() } }
                // One file is being inspected and two hundred are queued: further ones are rejected meanwhile.
                var refused: Answer?
                try await eventually("the line is full") {
                    refused = try await gateway.client.verify(photo, within: .seconds(5))
                    return refused?.status == 503
                }
                APIRefusal.serviceUnavailable.expectEnvelope(try #require(refused))
                #expect(refused?.headers["retry-after"] == "5")
                for one in waiting { one.cancel() }
                // The queue's timeout is the idle timeout of a connection; afterwards the queue has room again.
                try await eventually("there is room again") { try await !gateway.isFull(photo) }
            }
        }

        @Test("slow senders delay nobody: a permit is taken only for a complete file", .timeLimit(.minutes(5)))
        func slowSender() async throws {
            let settings = ["RIAL_MAX_CONCURRENT_VERIFICATIONS": "1", "RIAL_HTTP_IDLE_TIMEOUT_SECONDS": "20"]
            try await VerifyingGatewayTrait(number: 7, settings: settings).around {
                let gateway = try VerifyingGateway.required()
                // Sends data every second, for up to a minute.
                let pace = SlowUpload.Pace()
                let slow = SlowUpload.start(
                    try HostileUpload.photo(bytes: 3_000_000), to: gateway.client, pausing: .seconds(1), pauses: 60, at: pace)
                try await eventually("somebody is sending") {
                    try await gateway.admin("/metrics").contains("rial_verification_files 1")
                }
                // Larger than all buffers in between.
                let other = try await gateway.verify(HostileUpload.photo(bytes: 5_000_000))
                #expect(other.verdict == "no_record", "\(other.text)")
                #expect(try await gateway.admin("/metrics").contains("rial_verification_files 1"), "the slow one is still sending")
                pace.hurry()
                #expect(try await slow.value.verdict == "no_record")
            }
        }
    }
}

extension VerifyingGateway {
    /// Whether a file is rejected at once; a queued one is not.
    fileprivate func isFull(_ photo: [UInt8]) async throws -> Bool {
        do {
            return try await client.verify(photo, within: .seconds(2)).status == 503
        } catch {
            return false
        }
    }
}

/// A file that is sent in pieces with pauses between them.
private enum SlowUpload {
    /// Pauses that a test can end.
    final class Pace: Sendable {
        private let isHurried = Mutex(false)
        func hurry() { isHurried.withLock { $0 = true } }
        func pause(for duration: Duration) async throws { if !isHurried.withLock({ $0 }) { try await Task.sleep(for: duration) } }
    }

    static func start(
        _ file: [UInt8], to client: TestClient, pausing pause: Duration, pauses: Int, at pace: Pace
    ) -> Task<Answer, any Error> {
        let body = TestClient.encode([FormPart("file", file)])
        let size = body.count / (pauses + 1) + 1
        let parts = stride(from: 0, to: body.count, by: size).map { Array(body[$0..<min($0 + size, body.count)]) }
        let (stream, continuation) = AsyncStream<ByteBuffer>.makeStream()
        return Task {
            let sender = Task {
                for (index, part) in parts.enumerated() {
                    if index > 0 { try await pace.pause(for: pause) }
                    continuation.yield(ByteBuffer(bytes: part))
                }
                continuation.finish()
            }
            defer { sender.cancel() }
            return try await client.verify(.stream(stream, length: .known(Int64(body.count))), within: .seconds(120))
        }
    }
}

extension SignedCapture {
    /// A photo of about this size, with this capture's claim signed by another signer.
    func signedAnew(bytes: Int, by signer: DevelopmentAuthority.Identity) async throws -> [UInt8] {
        try signer.sign(await claim(), into: HostileUpload.photo(bytes: bytes))
    }
}
