import Dispatch

/// A serial executor with its own thread while there is work, so that C calls may block on it.
///
/// Blocking on Swift's cooperative pool, which has one thread per core, would starve all other tasks. An actor keeps the executor in
/// a stored property and returns ``asUnownedSerialExecutor()`` as its `unownedExecutor`.
public final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: the thread's name in debuggers.
    public init(label: String) { queue = DispatchQueue(label: label) }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Runs one blocking call on this executor's thread and returns its result.
    ///
    /// Cancellation does not interrupt the call: give it a timeout.
    /// - Throws: what `body` throws.
    public func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
