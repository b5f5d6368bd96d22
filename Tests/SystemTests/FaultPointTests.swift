import Foundation
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("A service killed between two effects")
    struct FaultPoints {
        @Test("every fail point of the sources is tried")
        func isComplete() throws {
            let all = FaultPoint.all + FaultPoint.ofLog
            let tried = all.map(\.name)
            #expect(Set(all).count == tried.count)
            let sources = try FaultPoint.inSources()
            #expect(!sources.isEmpty)
            for name in sources where !name.hasPrefix("*") { #expect(tried.contains(name)) }
            let answering = ["attestation-verifier", "depth-analyzer", "upload-sync"]
            for name in sources where name.hasPrefix("*") {
                let services = name == "*.relay.published" ? LocalStack.services : answering
                for service in services { #expect(tried.contains(service + name.dropFirst())) }
            }
        }

        @Test("loses nothing and does nothing twice", .timeLimit(.minutes(8)), arguments: FaultPoint.chosen)
        func killed(at point: FaultPoint) async throws {
            switch point.trigger {
            case .registration: try await registers(over: point)
            case .capture: try await captures(over: point)
            case .resumable: try await resumes(over: point)
            case .video: try await recordings(over: point)
            case .reassessment: try await reassesses(over: point)
            }
        }

        private func captures(over point: FaultPoint) async throws {
            var device = try await TestClient.current().device()
            let capture = try FaultCapture(&device)
            let answer = try await LocalStack.required().killing(at: point) { try await capture.accepted() }
            // If it was committed without a response, a repeated upload finds the capture.
            let wasCommitted = point.name == "gateway.capture.committed"
            #expect(answer.status == (wasCommitted ? 200 : 201) || point.name == "gateway.relay.published")
            let again = try await capture.accepted()
            #expect(again.status == 200)
            #expect(again.id == answer.id)
            try await LocalStack.required().expectWhole([answer.id], of: device, point.name)
        }

        private func reassesses(over point: FaultPoint) async throws {
            let (stack, client) = (try LocalStack.required(), try TestClient.current())
            var device = try await client.device()
            let id = try await client.capture(&device, CaptureParts())
            _ = try await client.settled(id)
            try await stack.assessOtherwise(id)
            try await stack.killing(at: point) {
                _ = try await stack.rial(["admin", "reassess", id])
                try await stack.awaitReassessment(of: id)
            }
            let kinds = "SELECT string_agg(kind, ' ' ORDER BY sequence) FROM statements WHERE capture_id = '\(id)'"
            #expect(try await stack.sql(kinds) == ["assessment reassessment"])
            #expect(try await client.show(id).data["confidence_level"] as? String == "medium")
        }

        private func recordings(over point: FaultPoint) async throws {
            var device = try await TestClient.current().device()
            let recording = try SignedRecording(try await VideoCamera.shortRecording(), by: &device)
            let answer = try await LocalStack.required().killing(at: point) { try await recording.accepted().value }
            let again = try await recording.accepted().value
            #expect(again.status == 200 && again.id == answer.id)
            try await LocalStack.required().expectWhole(video: answer.id, of: device, point.testDescription)
        }

        private func resumes(over point: FaultPoint) async throws {
            let stack = try LocalStack.required()
            let body = try await ResumableBody(TestClient.current())
            let id = try await LocalStack.required().killing(at: point) { try await body.resumed() }
            #expect(try await body.resumed() == id)
            try await stack.expectWhole([id], of: body.device, point.name)
            guard point.name == "gateway.upload.put" else { return try await stack.expectNoSegments(of: body.device, point.name) }
            // The store has a segment that no row names: its folder's row leads upload-sync to it.
            let upload = try #require(try await stack.sql("SELECT id FROM uploads WHERE capture_id = '\(id)'").first)
            #expect(try await stack.sql("SELECT prefix FROM intakes WHERE id = '\(upload)'") == ["incoming/\(upload)/"])
        }

        private func registers(over point: FaultPoint) async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = SimulatedDevice(requestKey: .ed25519)
            let challenge = try await client.challenge()
            let body = try client.registration(device, challenge: challenge)
            let first = try await LocalStack.required().killing(at: point) { try await Self.registered(client, body) }
            #expect(try await Self.registered(client, body) == first)
            let key = try device.keyID.map { String(format: "%02x", $0) }.joined()
            let known = try await stack.sql("SELECT id FROM devices WHERE key_id = '\\x\(key)'")
            #expect(known.map { $0.lowercased() } == [first.lowercased()], "\(point.name)")
            let bytes = challenge.map { String(format: "%02x", $0) }.joined()
            let outcomes = try await stack.sql(
                """
                SELECT outcome FROM registrations JOIN challenges ON registration_id = registrations.id
                WHERE challenge = '\\x\(bytes)'
                """)
            #expect(outcomes == ["registered"], "\(point.name)")
            device.deviceID = first
            let capture = try FaultCapture(&device)
            try await stack.expectWhole([capture.accepted().id], of: device, point.name)
        }

        /// Repeats the same body until there is a response; returns the device's id.
        private static func registered(_ client: TestClient, _ body: [UInt8]) async throws -> String {
            var id: String?
            try await eventually(within: .seconds(90), "a registration's response") {
                let answer = try await client.register(body)
                guard answer.status == 201 else { return false }
                #expect(answer.data["attestation_level"] as? String == "secure_enclave")
                id = answer.data["device_id"] as? String
                return true
            }
            return try #require(id)
        }
    }
}
