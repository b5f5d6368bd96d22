/// A call to another system within this task's work, such as a statement or a request to the store: a child of its span.
public struct ClientSpan: Sendable {
    private let context: TraceContext
    private let parent: TraceContext
    private let start: SpanTime

    /// - Returns: `nil` if this task works in no sampled trace, or nobody collects spans: the call then costs nothing more.
    public static func begin() -> ClientSpan? {
        guard let parent = TraceContext.current, Spans.collects(parent) else { return nil }
        return ClientSpan(context: parent.child(), parent: parent, start: .now)
    }

    /// Records the call, which ends now.
    /// - Parameter failure: the class of its error (`error.type`); `nil` if it succeeded.
    public func end(_ name: String, attributes: [(name: String, value: Span.Value)], failure: String? = nil) {
        Spans.record(context) {
            Span(name, .client, context, parent: parent, since: start, attributes: attributes, failure: failure)
        }
    }
}
