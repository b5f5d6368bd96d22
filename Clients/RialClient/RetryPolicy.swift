/// How often a request that failed for now is sent again, and how long is waited in between.
public struct RetryPolicy: Sendable {
    /// Tries in all, at least 1.
    public var attempts: Int
    /// The first wait is up to this; it doubles each time.
    public var initialDelay: Duration
    /// No single wait is longer; a server that asks for more is not asked again.
    public var maximumDelay: Duration

    public init(attempts: Int = 6, initialDelay: Duration = .milliseconds(250), maximumDelay: Duration = .seconds(65)) {
        self.attempts = attempts
        self.initialDelay = initialDelay
        self.maximumDelay = maximumDelay
    }

    public static let standard = RetryPolicy()
    public static let none = RetryPolicy(attempts: 1)

    /// The wait after try number `attempt` (from 1) failed: what the server asks for, else random up to a span that doubles.
    /// - Returns: `nil` if it should not be tried again.
    func delay(after failure: APIFailure, attempt: Int) -> Duration? {
        guard failure.isTransient, attempt < attempts else { return nil }
        if let asked = failure.retryAfter { return asked <= maximumDelay ? asked : nil }
        let span = min(initialDelay * (1 << min(attempt - 1, 10)), maximumDelay)
        return span * Double.random(in: 0.5...1)
    }

    /// Runs `body` until it succeeds or there is no point in going on.
    func run<T>(_ body: () async throws -> T) async throws -> T {
        var attempt = 1
        while true {
            do {
                return try await body()
            } catch let failure as APIFailure {
                guard let delay = delay(after: failure, attempt: attempt) else { throw failure }
                try await Task.sleep(for: delay)
                attempt += 1
            }
        }
    }
}
