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

    public mutating func next() -> Duration {
        defer { span = min(span * 2, limit) }
        return .seconds(Double.random(in: span / 2...span))
    }

    public mutating func reset() { span = initial }
}
