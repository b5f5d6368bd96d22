import AsyncHTTPClient
import Foundation
import NIOCore
import Signing
import SimulatedDevice
import Testing

extension SystemTests {
    @Suite("A hundred verifications at once")
    struct VerificationLoad {
        @Test("of 5 MB each disturb no upload, and fill neither memory nor disk", .timeLimit(.minutes(8)))
        func hundred() async throws {
            // Who waits in line is to be served, however long the machine takes.
            let settings = ["RIAL_HTTP_IDLE_TIMEOUT_SECONDS": "300"]
            try await VerifyingGatewayTrait(number: 6, settings: settings).around {
                let gateway = try VerifyingGateway.required()
                let capture = try await SignedCapture.make()
                // Half of them carry credentials, so that all that there is to do is done.
                let stranger = try HostileUpload.photo(bytes: 5_000_000)
                let signed = try await capture.signedAnew(bytes: 5_000_000, by: gateway.listed)
                _ = try await gateway.verify(capture.media("c2pa.jpg"))
                try gateway.forgetPeak()
                let before = try gateway.peakMemory()

                let bodies = [stranger, signed].map { TestClient.encode([FormPart("file", $0)]) }
                async let verified = Self.verify(bodies, count: 100, with: gateway.client)
                // Through the same gateway, one after the other, for as long as the verifications last.
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
                #expect(answers.count { $0.status == 200 } == 100, "\(answers.map(\.status).sorted())")
                #expect(answers.count { $0.verdict == "no_record" } == 50 && answers.count { $0.validationState == "trusted" } == 50)
                #expect(slowest < .seconds(45), "an upload took \(slowest)")
                // Half a gigabyte went through it.
                let grown = try gateway.peakMemory() - before
                #expect(grown < 96 << 20, "the gateway grew by \(grown >> 20) MB")
                try await eventually(within: .seconds(5), "nothing is left") {
                    try gateway.inspectors().isEmpty && gateway.scratchFiles().isEmpty
                }
            }
        }

        /// The two bodies by turns.
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

        @Test("beyond those that may wait are told to come again", .timeLimit(.minutes(3)))
        func line() async throws {
            let settings = ["RIAL_MAX_CONCURRENT_VERIFICATIONS": "1", "RIAL_HTTP_IDLE_TIMEOUT_SECONDS": "90"]
            try await VerifyingGatewayTrait(number: 7, settings: settings).around {
                let gateway = try VerifyingGateway.required()
                let photo = try ForeignPhoto.plain()
                // One that has begun and does not end holds the only place; two hundred stand behind it.
                let stalled = (0..<201).map { _ in SlowUpload.start(photo, to: gateway.client, pausing: .seconds(60)) }
                try await eventually("somebody has the place") {
                    try await gateway.admin("/metrics").contains("rial_verifications_in_progress 1")
                }
                var refused: Answer?
                try await eventually("the line is full") {
                    // While there is room, its own wait is longer than the test's patience.
                    refused = try await gateway.client.verify(photo, within: .seconds(2))
                    return refused?.status == 503
                }
                APIRefusal.serviceUnavailable.expectEnvelope(try #require(refused))
                #expect(refused?.headers["retry-after"] == "5")
                for one in stalled { one.cancel() }
                // They have gone, and so has the line.
                try await eventually("there is room again") { try await gateway.client.verify(photo, within: .seconds(10)).status == 200 }
            }
        }

        @Test("who waits in line longer than a connection may be idle has an answer all the same", .timeLimit(.minutes(2)))
        func patience() async throws {
            let settings = ["RIAL_MAX_CONCURRENT_VERIFICATIONS": "1", "RIAL_HTTP_IDLE_TIMEOUT_SECONDS": "6"]
            try await VerifyingGatewayTrait(number: 7, settings: settings).around {
                let gateway = try VerifyingGateway.required()
                let photo = try ForeignPhoto.plain()
                // It moves on every second, and so keeps its place.
                let slow = SlowUpload.start(photo, to: gateway.client, pausing: .seconds(1), pauses: 12)
                try await eventually("somebody has the place") {
                    try await gateway.admin("/metrics").contains("rial_verifications_in_progress 1")
                }
                // More than fits into buffers on the way.
                let waiting = try await gateway.verify(HostileUpload.photo(bytes: 5_000_000))
                if waiting.status == 503 {
                    APIRefusal.serviceUnavailable.expectEnvelope(waiting)
                    #expect(Int(waiting.headers["retry-after"] ?? "") != nil)
                } else {
                    #expect(waiting.verdict == "no_record", "\(waiting.text)")
                }
                #expect(try await slow.value.verdict == "no_record")
            }
        }
    }
}

/// A file that is sent in parts, with pauses between them.
private enum SlowUpload {
    static func start(_ file: [UInt8], to client: TestClient, pausing pause: Duration, pauses: Int = 1) -> Task<Answer, any Error> {
        let body = TestClient.encode([FormPart("file", file)])
        let size = body.count / (pauses + 1) + 1
        let parts = stride(from: 0, to: body.count, by: size).map { Array(body[$0..<min($0 + size, body.count)]) }
        let (stream, continuation) = AsyncStream<ByteBuffer>.makeStream()
        return Task {
            let sender = Task {
                for (index, part) in parts.enumerated() {
                    if index > 0 { try await Task.sleep(for: pause) }
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
    /// A photo of so many bytes, signed by somebody else with what this capture claims.
    func signedAnew(bytes: Int, by signer: DevelopmentAuthority.Identity) async throws -> [UInt8] {
        try signer.sign(await claim(), into: HostileUpload.photo(bytes: bytes))
    }
}
