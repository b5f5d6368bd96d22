import Blocking
import Metrics

/// Bounds the files that are verified at once; callers beyond the limit queue for at most `timeout`.
struct VerificationPermits: Sendable {
    private let semaphore: FIFOSemaphore
    private let timeout: Duration
    private let gauge: Meter

    init(_ permits: Int, queueLimit: Int, timeout: Duration, metric: String) {
        semaphore = FIFOSemaphore(permits: permits, queueLimit: queueLimit)
        self.timeout = timeout
        gauge = Meter(label: metric)
    }

    /// The queue is full, or the timeout has passed.
    struct Busy: Error {}

    /// - Throws: ``Busy``; `CancellationError` if the task is cancelled.
    func withPermit<Result>(_ body: () async throws -> Result) async throws -> Result {
        let permit: Int
        do {
            permit = try await semaphore.acquire(timeout: timeout)
        } catch {
            switch error {
            case .cancelled: throw CancellationError()
            case .queueFull, .timeout: throw Busy()
            }
        }
        gauge.increment()
        defer {
            gauge.decrement()
            semaphore.release(permit)
        }
        return try await body()
    }
}
