/// Exponential backoff with jitter: each wait is random between half and all of a span, which doubles up to a limit.
public struct Backoff: Sendable {
    private let initial: Double
    private let limit: Double
    private var span: Double

    /// - Parameters: seconds.
    public init(initial: Double = 0.1, limit: Double = 5) {
        self.initial = initial
        self.limit = limit
        span = initial
    }

    /// The next wait, half to all of the span, which doubles after it.
    public mutating func next() -> Duration {
        defer { span = min(span * 2, limit) }
        return .seconds(Double.random(in: span / 2...span))
    }

    /// After a success: the next wait is as short as the first.
    public mutating func reset() { span = initial }
}
