import Foundation
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("A service killed while a hash-only capture is processed")
    struct PrivacyFaults {
        /// The points that it reaches; `RIAL_TEST_FAULTS=full` (`make test-faults`) tries all of them.
        private static let points: [String] = {
            let media: Set<String> = [
                "gateway.capture.opened", "gateway.capture.intake", "depth-analyzer.fetched", "depth-analyzer.preview",
            ]
            let reached = FaultPoint.all.filter { $0.trigger == .capture && !media.contains($0.name) }.map(\.name)
            return FaultTests.isFull
                ? reached : ["gateway.capture.committed", "attestation-verifier.counter.consumed", "upload-sync.stored"]
        }()

        /// Repeats the upload until there is an answer.
        private static func accepted(_ device: SimulatedDevice, _ body: [UInt8]) async throws -> Answer {
            let client = try TestClient.current()
            var own = device
            var last: Answer?
            try await eventually(within: .seconds(90), "a hash-only capture is accepted") {
                last = try? await client.submitPrivate(&own, body)
                return last.map { [200, 201].contains($0.status) } ?? false
            }
            return try #require(last)
        }

        @Test("loses nothing and does nothing twice", .timeLimit(.minutes(8)), arguments: points)
        func killed(at point: String) async throws {
            let client = try TestClient.current()
            let stack = try LocalStack.required()
            var device = try await client.device()
            let body = try PrivateCapture(CaptureParts()).body(&device)
            let armed = stack.failPoints.appendingPathComponent(point)
            try Data().write(to: armed)
            defer { try? FileManager.default.removeItem(at: armed) }
            let owner = device
            async let sent = Self.accepted(owner, body)
            try await eventually("\(point) was reached") { !FileManager.default.fileExists(atPath: armed.path) }
            let service = String(point.prefix { $0 != "." })
            try await stack.control("kill", service)
            try await stack.control("start", service)
            let id = try #require(try await sent.data["capture_id"] as? String)
            #expect(try await Self.accepted(owner, body).data["capture_id"] as? String == id)
            let capture = try await client.settled(id)
            #expect(capture.data["confidence_level"] as? String == "high")
            #expect(try await stack.sql("SELECT count(*) FROM captures WHERE device_id = '\(owner.deviceID ?? "")'") == ["1"])
            #expect(try await stack.sql("SELECT count(*) FROM assertion_counters WHERE capture_id = '\(id)'") == ["1"])
            #expect(
                try await stack.sql("SELECT string_agg(name, ' ' ORDER BY name) FROM media_objects WHERE capture_id = '\(id)'") == [
                    "metadata.json og.jpg"
                ])
        }
    }
}
