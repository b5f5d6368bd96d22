/// Exponential backoff with jitter: each wait is a random part of a span, which doubles up to a limit.
public struct Backoff: Sendable {
    private let initial: Double
    private let limit: Double
    private let jitter: Double
    private var waits = 0

    /// - Parameters:
    ///   - initial: the first span in seconds.
    ///   - limit: the longest span in seconds.
    ///   - jitter: the share of a span that is random, in 0...1: a wait lasts at least the rest of it. With 0 it lasts the whole span.
    public init(initial: Double = 0.1, limit: Double = 5, jitter: Double = 0.5) {
        self.initial = initial
        self.limit = limit
        self.jitter = jitter
    }

    /// The next wait, after which the span doubles.
    public mutating func next() -> Duration {
        var generator = SystemRandomNumberGenerator()
        return next(using: &generator)
    }

    /// As ``next()``, with another source of chance.
    public mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        defer { waits += 1 }
        return wait(after: waits, using: &generator)
    }

    /// For callers that count themselves.
    /// - Parameter waits: how many there were before; 0 for the first.
    public func wait(after waits: Int) -> Duration {
        var generator = SystemRandomNumberGenerator()
        return wait(after: waits, using: &generator)
    }

    private func wait(after waits: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let span = min(Double(sign: .plus, exponent: waits, significand: initial), limit)
        return .seconds(Double.random(in: span * (1 - jitter)...span, using: &generator))
    }

    /// After a success: the next wait is as short as the first.
    public mutating func reset() { waits = 0 }
}
