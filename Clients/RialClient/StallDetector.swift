import CaptureKit
import Synchronization

/// Notices that nothing more happens in an attempt. AsyncHTTPClient does not notice a server that stops reading.
final class StallDetector: Sendable {
    private let latest = Mutex(ContinuousClock.now)

    /// Something was sent or received.
    func progressed() { latest.withLock { $0 = .now } }

    /// Waits until nothing happened for `idle`, or the attempt has taken longer than `attempt`.
    /// - Throws: ``TransportFailure`` then; `CancellationError` if the task is cancelled before.
    func watch(idle: Duration, attempt: Duration) async throws -> Never {
        let end = ContinuousClock.now + attempt
        while true {
            let stall = latest.withLock { $0 } + idle
            try await Task.sleep(until: min(stall, end), clock: .continuous)
            if end <= .now { throw TransportFailure.unreachable("the server did not answer within \(attempt)") }
            if latest.withLock({ $0 }) + idle <= .now { throw TransportFailure.unreachable("nothing happened for \(idle)") }
        }
    }
}
