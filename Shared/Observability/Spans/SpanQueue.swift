import Metrics
import Synchronization

/// Ended spans that wait for their export. Adding one never waits: beyond the capacity a new one is dropped and counted.
public final class SpanQueue: Sendable {
    /// Why spans were lost; the `reason` of `rial_spans_dropped_total`.
    public enum Loss: String, Sendable, CaseIterable {
        case queueFull = "queue_full"
        case collectorAway = "collector_away"
        case collectorRefused = "collector_refused"
    }

    private let capacity: Int
    private let spans = Mutex<[Span]>([])

    public init(capacity: Int = 4096) {
        self.capacity = capacity
        // Shown before there is one, so that the first one is an increase.
        for loss in Loss.allCases { Self.lost(0, loss) }
    }

    public var count: Int { spans.withLock { $0.count } }

    public func add(_ span: Span) {
        let isKept = spans.withLock { spans in
            guard spans.count < capacity else { return false }
            spans.append(span)
            return true
        }
        if !isKept { Self.lost(1, .queueFull) }
    }

    /// The oldest, which stay until ``remove(_:)``.
    public func first(_ limit: Int) -> [Span] { spans.withLock { Array($0.prefix(limit)) } }

    /// Removes the oldest. For one exporter at a time.
    public func remove(_ count: Int) { spans.withLock { $0.removeFirst(min(max(0, count), $0.count)) } }

    /// Removes and counts the oldest, which nobody took.
    public func drop(_ count: Int, _ loss: Loss) {
        remove(count)
        Self.lost(count, loss)
    }

    private static func lost(_ count: Int, _ loss: Loss) {
        Counter(label: "rial_spans_dropped_total", dimensions: [("reason", loss.rawValue)]).increment(by: count)
    }
}
