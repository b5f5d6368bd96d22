import Synchronization

/// A record that a consumer handles: the consumer goes on with the next one once it is handled, or once its handler lets others pass.
final class RecordTurn: Sendable {
    private let isOver = Mutex(false)
    private let wait = AsyncStream.makeStream(of: Void.self)
    private let end = AsyncStream.makeStream(of: Void.self)

    /// Lets the consumer go on. Has no effect the second time.
    func pass() { wait.continuation.finish() }

    /// The record is handled, or given back at shutdown.
    func finish() {
        isOver.withLock { $0 = true }
        end.continuation.finish()
        pass()
    }

    var isFinished: Bool { isOver.withLock { $0 } }

    /// Waits for ``pass()`` or ``finish()``. For one waiter, like ``finished()``.
    func passed() async { for await _ in wait.stream {} }
    func finished() async { for await _ in end.stream {} }
}
