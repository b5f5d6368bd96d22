import Foundation

/// A thread for work that takes seconds and that nobody waits for at once: others get the processors first.
public enum BackgroundThread {
    /// The same as for the decoding of videos: work of the usual priority has 28 times its weight, so that this work is slow under load but
    /// never stands still.
    static let niceness: Int32 = 15

    /// Runs the work on a thread of its own, which ends with it. Cancellation does not interrupt it.
    /// - Parameter label: the thread's name in debuggers.
    /// - Throws: what `body` throws.
    public static func run<T: Sendable>(label: String, _ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread {
                // On Linux this is of the thread alone (sched(7)); on other systems, or if it fails, the work has the usual priority.
                #if os(Linux)
                _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
                #endif
                continuation.resume(with: Result { try body() })
            }
            thread.name = label
            thread.start()
        }
    }
}
