import CaptureProtocol
import Foundation
import Logging
import Messaging
import Models
import Observability
import TestSupport
import Testing

@testable import Delivery

@Suite("Spans of records", .serialized, .timeLimit(.minutes(1)))
struct RecordSpanTests {
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private let queue = SpanQueue()

    /// The spans as OTLP has them, with their attributes by name.
    private func spans(_ body: () async throws -> Void) async throws -> [(span: [String: Any], attributes: [String: String])] {
        Spans.collect(in: queue)
        defer { Spans.collect(in: nil) }
        try await body()
        let document = SpanDocument(queue.first(100), from: SpanOrigin(service: "a", instance: "b", version: "c"))
        let json = try JSONSerialization.jsonObject(with: Data(document.encoded())) as? [String: [[String: Any]]]
        let scopes = json?["resourceSpans"]?.first?["scopeSpans"] as? [[String: Any]]
        return try #require(scopes?.first?["spans"] as? [[String: Any]]).map { span in
            let pairs = (span["attributes"] as? [[String: Any]] ?? []).compactMap { one -> (String, String)? in
                guard let key = one["key"] as? String, let value = (one["value"] as? [String: String])?.values.first else { return nil }
                return (key, value)
            }
            return (span, Dictionary(pairs) { _, last in last })
        }
    }

    private func record(_ traceparent: String?, value: [UInt8], capture: CaptureID = CaptureID(), event: EventID = EventID()) -> KafkaRecord
    {
        let headers = [("ce_id", event.description)] + (traceparent.map { [("traceparent", $0)] } ?? [])
        return KafkaRecord(
            topic: Topic.captureReceived.rawValue, partition: 3, offset: 7, key: Array(capture.description.utf8), value: value,
            headers: headers.map { KafkaHeader(name: $0.0, value: Array($0.1.utf8)) }, timestampMilliseconds: nil)
    }

    @Test("continue the trace that the record carries, and tell which record and capture it was")
    func processed() async throws {
        let capture = CaptureID()
        let event = EventID()
        let message = try WireJSON.encode(CaptureReceived(captureID: capture, kind: .photo))
        let received = record(Self.parent, value: message, capture: capture, event: event)
        let delivery = ScriptedDelivery([received])
        let found = try await spans { try await delivery.run { delivery.source.stored == [7] } }
        let (span, attributes) = try #require(found.first)
        #expect(found.count == 1 && span["traceId"] as? String == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(span["parentSpanId"] as? String == "00f067aa0ba902b7" && span["kind"] as? Int == 5 && span["status"] == nil)
        #expect(span["name"] as? String == "process rial.capture.received.v1")
        #expect(
            attributes == [
                "messaging.system": "kafka", "messaging.operation.name": "process", "messaging.operation.type": "process",
                "messaging.destination.name": "rial.capture.received.v1", "messaging.message.id": event.description,
                "rial.capture.id": capture.description, "messaging.consumer.group.name": "depth-analyzer.rial.capture.received.v1",
                "messaging.destination.partition.id": "3", "messaging.kafka.offset": "7",
            ])
    }

    @Test("begin a trace where the record carries none, or none that is valid", arguments: [nil, "", "00-0-0-00", "\u{0}"])
    func begun(traceparent: String?) async throws {
        let delivery = ScriptedDelivery([record(traceparent, value: Array("{".utf8))])
        let found = try await spans { try await delivery.run { delivery.source.stored == [7] } }
        let (span, attributes) = try #require(found.first)
        #expect(span["parentSpanId"] == nil && (span["traceId"] as? String)?.count == 32)
        // It cannot be decoded.
        #expect(attributes["error.type"] == "dead_letter" && (span["status"] as? [String: Int]) == ["code": 2])
    }

    @Test("follow what the record's trace says of sampling")
    func unsampled() async throws {
        let delivery = ScriptedDelivery([record(String(Self.parent.dropLast()) + "0", value: Array("{".utf8))])
        #expect(try await spans { try await delivery.run { delivery.source.stored == [7] } }.isEmpty)
    }

    @Test("tell no key but a capture's, and no id that is none")
    func keys() async throws {
        let trace = TraceContext()
        let found = try await spans {
            for (topic, key) in [
                (Topic.deviceRevoked, DeviceID().description), (.registrationSubmitted, RegistrationID().description),
                (.captureReceived, "somebody@example.org"),
            ] {
                RecordSpan.process.record(topic: topic.rawValue, key: key, eventID: "somebody", trace, parent: nil, since: .now)
            }
        }
        #expect(found.count == 3)
        for (_, attributes) in found { #expect(attributes["rial.capture.id"] == nil && attributes["messaging.message.id"] == nil) }
    }

    @Test("of the relay are behind the event's own position, one for each record that the broker took")
    func sent() async throws {
        let outbox = MemoryOutboxRows()
        let relay = OutboxRelay(
            service: .depthAnalyzer, rows: outbox, publisher: MemoryRecordPublisher(), clock: TestClock(isHeld: true),
            logger: .quiet
        ) {}
        outbox.append(
            topic: "rial.capture.received.v1", key: "k", value: nil,
            headers: [KafkaHeader(name: "traceparent", value: Array(Self.parent.utf8))], isNotified: false)
        outbox.append(topic: "t", key: "k", value: nil, headers: [], isNotified: false)
        let found = try await spans { try await shutDown(relay, when: { outbox.rows.isEmpty }) }
        let (span, attributes) = try #require(found.first)
        #expect(found.count == 1 && span["parentSpanId"] as? String == "00f067aa0ba902b7" && span["kind"] as? Int == 3)
        #expect(attributes["messaging.operation.type"] == "send")
    }
}
