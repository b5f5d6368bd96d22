import Foundation
import Testing

@testable import Observability

@Suite("Spans", .serialized)
struct SpanTests {
    private static let parent = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")

    private func span(_ name: String = "a", attributes: [(name: String, value: Span.Value)] = [], failure: String? = nil) -> Span {
        Span(name, .consumer, TraceContext(), parent: nil, since: .now, attributes: attributes, failure: failure)
    }

    @Test("wait in their order, and what has no room is dropped instead of them")
    func queue() {
        let queue = SpanQueue(capacity: 3)
        for name in ["a", "b", "c", "d"] { queue.add(span(name)) }
        #expect(queue.count == 3 && queue.first(2).map(\.name) == ["a", "b"] && queue.count == 3)
        queue.remove(2)
        queue.add(span("e"))
        #expect(queue.first(10).map(\.name) == ["c", "e"])
        queue.drop(10, .collectorAway)
        queue.remove(-1)
        #expect(queue.count == 0 && queue.first(10).isEmpty)
    }

    @Test("are collected if their trace is sampled and somebody collects them")
    func collecting() throws {
        let unsampled = try #require(TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"))
        let queue = SpanQueue()
        defer { Spans.collect(in: nil) }
        Spans.record(TraceContext()) { span() }
        Spans.collect(in: queue)
        Spans.record(unsampled) { span() }
        #expect(queue.count == 0)
        Spans.record(TraceContext()) { span() }
        #expect(queue.count == 1)
        Spans.collect(in: nil)
        Spans.record(TraceContext()) { span() }
        #expect(queue.count == 1)
    }

    @Test("are written as OTLP's JSON has it")
    func document() throws {
        let parent = try #require(Self.parent)
        let context = parent.child()
        let start = SpanTime.now
        let failed = Span(
            "process t", .consumer, context, parent: parent, since: start,
            attributes: [("messaging.system", .text("a\"/b")), ("messaging.kafka.offset", .integer(.max))], failure: "dead_letter")
        let document = SpanDocument([failed, span("b")], from: SpanOrigin(service: "depth-analyzer", instance: "i", version: "1"))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(document.encoded())) as? NSDictionary)
        let spans = try #require((json.value(forPath: "resourceSpans.scopeSpans.spans")) as? [NSDictionary])
        #expect(spans.count == 2)
        let expected: NSDictionary = [
            "traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": context.spanID, "parentSpanId": "00f067aa0ba902b7",
            "name": "process t",
            "kind": 5, "startTimeUnixNano": String(start.nanoseconds), "endTimeUnixNano": String(failed.end.nanoseconds),
            "attributes": [
                ["key": "messaging.system", "value": ["stringValue": "a\"/b"]],
                ["key": "messaging.kafka.offset", "value": ["intValue": "9223372036854775807"]],
                ["key": "error.type", "value": ["stringValue": "dead_letter"]],
            ], "status": ["code": 2],
        ]
        #expect(spans[0] == expected)
        // The first of a trace has no parent, and what succeeded no status.
        #expect(spans[1]["parentSpanId"] == nil && spans[1]["status"] == nil)
        let resource = try #require(json.value(forPath: "resourceSpans.resource.attributes") as? [NSDictionary])
        #expect(resource.contains(["key": "service.name", "value": ["stringValue": "depth-analyzer"]]))
    }

    @Test("have a time, and do not end before they begin")
    func times() {
        let now = Date().timeIntervalSince1970
        #expect(abs(Double(SpanTime.now.nanoseconds) / 1e9 - now) < 60)
        let future = SpanTime(nanoseconds: SpanTime.now.nanoseconds + 1_000_000_000_000)
        #expect(Span("a", .server, TraceContext(), parent: nil, since: future, attributes: []).end == future)
    }

    @Test("keep the beginning of a long text")
    func longTexts() {
        let long = String(repeating: "é", count: 1 << 16)
        let span = span(long, attributes: [("a", .text(long))])
        #expect(span.name.utf8.count == 256)
        #expect(span.attributes.first?.value == .text(String(repeating: "é", count: 128)))
    }
}

extension NSDictionary {
    /// What is there by a path of keys, through the first element of each array between them.
    fileprivate func value(forPath path: String) -> Any? {
        var value: Any? = self
        for key in path.split(separator: ".") {
            if let array = value as? [Any] { value = array.first }
            value = (value as? NSDictionary)?[String(key)]
        }
        return value
    }
}
