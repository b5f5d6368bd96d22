public import CaptureProtocol
public import Foundation
public import Messaging
public import Observability

/// The headers of a CloudEvents 1.0 event in Kafka's binary content mode, plus `traceparent`.
public enum CloudEventHeaders {
    /// - Parameters:
    ///   - source: the service or command that produces the event.
    ///   - trace: the event's position in its trace.
    public static func make(
        id: EventID, type: String, source: String, subject: String, time: Date, trace: TraceContext
    ) -> [KafkaHeader] {
        [
            ("ce_specversion", "1.0"), ("ce_id", id.description), ("ce_type", type), ("ce_source", "/rial/\(source)"),
            ("ce_time", Timestamp.format(time)), ("ce_subject", subject), ("content-type", "application/json"),
            ("traceparent", trace.traceparent),
        ].map { KafkaHeader(name: $0.0, value: Array($0.1.utf8)) }
    }
}
