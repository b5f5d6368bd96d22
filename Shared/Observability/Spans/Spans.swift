import Synchronization

/// Takes the spans of this process: into a queue if they are exported, else nowhere, at the cost of an atomic load.
public enum Spans {
    private static let queue = Mutex<SpanQueue?>(nil)
    private static let isOn = Atomic<Bool>(false)

    /// - Parameter target: `nil` to collect none.
    public static func collect(in target: SpanQueue?) {
        queue.withLock { $0 = target }
        isOn.store(target != nil, ordering: .releasing)
    }

    /// Whether somebody collects the spans of this trace.
    static func collects(_ context: TraceContext) -> Bool { context.isSampled && isOn.load(ordering: .acquiring) }

    /// - Parameter span: made only if the trace is sampled and somebody collects.
    public static func record(_ context: TraceContext, _ span: () -> Span) {
        guard collects(context), let queue = queue.withLock({ $0 }) else { return }
        queue.add(span())
    }
}
