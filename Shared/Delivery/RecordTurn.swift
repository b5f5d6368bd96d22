import Synchronization

/// A record that a consumer handles. The consumer begins the next one once this is handled, or once its handler lets others pass.
final class RecordTurn: Sendable {
    private struct End {
        var isOver = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let end = Mutex(End())
    private let wait = AsyncStream.makeStream(of: Void.self)

    /// Lets the consumer begin the next record. Has no effect the second time.
    func pass() { wait.continuation.finish() }

    /// The record is handled, or returned unhandled at shutdown.
    func finish() {
        let waiters = end.withLock { end in
            defer { end = End(isOver: true) }
            return end.waiters
        }
        for waiter in waiters { waiter.resume() }
        pass()
    }

    var isFinished: Bool { end.withLock { $0.isOver } }

    /// Waits for ``pass()`` or ``finish()``. For one waiter.
    func passed() async { for await _ in wait.stream {} }

    /// Waits for ``finish()``, also in a cancelled task: the record is then returned unhandled, which finishes it.
    func finished() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isOver = end.withLock { end in
                if !end.isOver { end.waiters.append(continuation) }
                return end.isOver
            }
            if isOver { continuation.resume() }
        }
    }
}
