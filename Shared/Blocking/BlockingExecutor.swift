import Dispatch

/// A serial executor with a thread of its own while it has work, on which C calls may block.
///
/// Blocking on Swift's cooperative pool would starve every other task: that pool has as many threads as the machine has cores.
/// An actor uses it by returning ``asUnownedSerialExecutor()`` as its `unownedExecutor` and keeping it in a stored property.
public final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: what debuggers call the thread.
    public init(label: String) { queue = DispatchQueue(label: label) }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Runs one blocking call here and returns what it returned; the caller's thread is free meanwhile.
    ///
    /// Cancellation does not interrupt the call: bound it by a limit of its own.
    public func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
