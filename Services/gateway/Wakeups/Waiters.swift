import Metrics
import Synchronization

/// Wakes tasks that wait for a registration or a capture. A wake-up is only a hint: a woken task reads PostgreSQL, and it polls every
/// second anyway.
final class Waiters: Sendable {
    private let list = Mutex(WaitList<CheckedContinuation<Void, Never>>())
    private let timeout: Duration

    /// - Parameter timeout: how long ``wait(for:)`` waits at most.
    init(timeout: Duration = .seconds(1)) { self.timeout = timeout }

    /// Returns when `key` is woken, when the timeout ends, or when the task is cancelled.
    func wait(for key: String) async {
        let id = list.withLock { $0.id() }
        var clock: Task<Void, Never>?
        defer { clock?.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                list.withLock { $0.add(continuation, id, for: key) }
                // Start the timeout after adding the waiter: a wake-up before that would be lost.
                clock = Task {
                    try? await Task.sleep(for: timeout)
                    wake(key, only: id)
                }
                if Task.isCancelled { wake(key, only: id) }
            }
        } onCancel: {
            wake(key, only: id)
        }
    }

    /// - Parameter id: wakes only this waiter; `nil` wakes all of the key.
    func wake(_ key: String, only id: UInt64? = nil) {
        let (woken, left) = list.withLock { list in
            let woken = id.map { [list.remove($0, for: key)].compactMap(\.self) } ?? list.removeAll(for: key)
            return (woken, list.count)
        }
        for continuation in woken { continuation.resume() }
        Meter(label: "rial_waiters").set(left)
    }
}
