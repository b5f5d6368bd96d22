import Blocking

/// The number of attempts of a request after transient failures, and the backoff between them.
public struct RetryPolicy: Sendable {
    /// Including the first attempt; at least 1.
    public var attempts: Int
    /// The upper bound of the first delay; doubled each time.
    public var initialDelay: Duration
    /// The longest delay. If the server asks for a longer one, the request is not retried.
    public var maximumDelay: Duration

    public init(attempts: Int = 6, initialDelay: Duration = .milliseconds(250), maximumDelay: Duration = .seconds(65)) {
        self.attempts = attempts
        self.initialDelay = initialDelay
        self.maximumDelay = maximumDelay
    }

    public static let standard = RetryPolicy()
    public static let none = RetryPolicy(attempts: 1)

    /// The delay after attempt number `attempt` (from 1) failed: the one that the server asks for, else random between half and all of a
    /// bound that doubles.
    /// - Returns: `nil` if the request should not be retried.
    func delay(after failure: APIFailure, attempt: Int) -> Duration? {
        guard failure.isTransient, attempt < attempts else { return nil }
        if let asked = failure.retryAfter { return asked <= maximumDelay ? asked : nil }
        return Backoff(initial: initialDelay / .seconds(1), limit: maximumDelay / .seconds(1)).wait(after: attempt - 1)
    }

    /// Runs `body` until it succeeds or should not be retried.
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
