import CaptureProtocol
import Messaging
import Observability

/// The spans of records, by OpenTelemetry's conventions for messaging: `create` in the transaction of what an event announces, whose
/// position the record carries, then `send` to the broker, then `process` by each consumer.
enum RecordSpan: String {
    case create, send, process

    private var kind: Span.Kind {
        switch self {
        case .create: .producer
        // The record carries the position of its `create`, not of this.
        case .send: .client
        case .process: .consumer
        }
    }

    /// Records a span that ends now.
    /// - Parameters:
    ///   - key: the record's; told only where it is a capture's id.
    ///   - eventID: the record's `ce_id`; told only if it is an event's id.
    func record(
        topic: String, key: String?, eventID: String?, _ context: TraceContext, parent: TraceContext?, since start: SpanTime,
        more: [(name: String, value: Span.Value)] = [], failure: String? = nil
    ) {
        Spans.record(context) {
            var attributes: [(name: String, value: Span.Value)] = [
                ("messaging.system", .text("kafka")), ("messaging.operation.name", .text(rawValue)),
                ("messaging.operation.type", .text(rawValue)), ("messaging.destination.name", .text(topic)),
            ]
            if let id = eventID.flatMap({ EventID($0) }) { attributes.append(("messaging.message.id", .text(id.description))) }
            // Keys of other topics name devices and registrations.
            if topic.hasPrefix("rial.capture."), let capture = key.flatMap({ CaptureID($0) }) {
                attributes.append(("rial.capture.id", .text(capture.description)))
            }
            return Span(
                "\(rawValue) \(topic)", kind, context, parent: parent, since: start, attributes: attributes + more, failure: failure)
        }
    }
}

extension TraceContext {
    /// The position that a record carries; `nil` if it has none, or no valid one.
    init?(headers: [KafkaHeader]) {
        guard let text = headers.text(of: "traceparent") else { return nil }
        self.init(traceparent: text)
    }
}
