import CaptureProtocol
import Foundation
import Messaging
import Models
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("Records delivered twice and out of order")
    struct Delivery {
        private static let parts: [Topic] = [.mediaSynced, .depthAnalyzed, .attestationAppraised]

        @Test("give one evidence package", .timeLimit(.minutes(6)))
        func twiceAndReversed() async throws {
            let stack = try LocalStack.required()
            let redelivery = try Redelivery(stack)
            var device = try await TestClient.current().device()
            let capture = try FaultCapture(&device)
            let (id, early) = try await stack.without(["evidence-assembler"]) {
                let id = try await capture.accepted().id
                for topic in Self.parts {
                    try await eventually("\(topic) has the part") { try await !stack.records(of: topic, key: id).isEmpty }
                }
                // Replays the received record, so that each service also announces its part a second time.
                try await redelivery.awaitHandled(try await redelivery.replay([.captureReceived], key: id))
                return (id, try await redelivery.replay(Self.parts, key: id))
            }
            try await redelivery.awaitHandled(early)
            try await stack.expectWhole([id], of: device)

            let before = try await stack.finalState(of: id)
            let late = try await redelivery.replay(Self.parts + [.captureReceived], key: id)
            try await redelivery.awaitHandled(late)
            #expect(try await stack.finalState(of: id) == before)
            try await stack.expectWhole([id], of: device)
            // Gateways only use the record to wake waiting requests, which read PostgreSQL.
            _ = try await redelivery.replay([.evidenceAssembled], key: id)
            #expect(try await stack.finalState(of: id) == before)
        }

        @Test("cannot make a complete capture fail", .timeLimit(.minutes(5)))
        func lateErrors() async throws {
            let stack = try LocalStack.required()
            var device = try await TestClient.current().device()
            let id = try await FaultCapture(&device).accepted().id
            try await stack.expectWhole([id], of: device)
            let before = try await stack.finalState(of: id)
            let capture = try #require(CaptureID(id))
            let producer = try stack.producer()
            let errors: [(Topic, [UInt8])] = [
                (.mediaSynced, try WireJSON.encode(MediaSynced.failed(capture, reason: .handlingFailed))),
                (.depthAnalyzed, try WireJSON.encode(DepthAnalyzed.failed(capture, reason: .handlingFailed))),
                (.attestationAppraised, try WireJSON.encode(AttestationAppraised.failed(capture, reason: .handlingFailed))),
            ]
            var sent: [Topic: [String]] = [:]
            for (topic, value) in errors {
                let event = UUID().uuidString.lowercased()
                let headers = [KafkaHeader(name: "ce_id", value: Array(event.utf8))]
                try await producer.send(topic: topic.rawValue, key: Array(id.utf8), value: value, headers: headers)
                sent[topic] = [event]
            }
            try await Redelivery(stack).awaitHandled(sent)
            #expect(try await stack.finalState(of: id) == before)
        }

        @Test("register a device once", .timeLimit(.minutes(5)))
        func registration() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            let device = try await client.device()
            let key = try device.keyID.map { String(format: "%02x", $0) }.joined()
            let query = """
                SELECT registrations.id, device_id, registered_at FROM registrations JOIN devices ON devices.id = device_id
                WHERE key_id = '\\x\(key)'
                """
            let before = try await stack.sql(query)
            #expect(before.count == 1)
            let registration = try #require(before.first?.split(separator: "|").first.map(String.init))
            let redelivery = try Redelivery(stack)
            // The gateway may have read the outcome from the table before it was announced.
            try await eventually("it was announced") {
                try await !stack.records(of: .registrationAppraised, key: registration).isEmpty
            }
            try await redelivery.awaitHandled(
                try await redelivery.replay([.registrationAppraised, .registrationSubmitted], key: registration))
            #expect(try await stack.sql(query) == before)
            #expect(try await stack.sql("SELECT count(*) FROM devices WHERE key_id = '\\x\(key)'") == ["1"])
        }
    }
}
