import Blocking
import Metrics
import Synchronization

/// Keeps calls from blocking on a dependency that is down: after a failure no calls are made for a while, then one trial decides.
///
/// Its state is the gauge `rial_circuit_state` {dependency}: 0 closed (calls pass), 1 half open (a trial is under way), 2 open.
public final class CircuitBreaker: Sendable {
    /// The values are those of the gauge.
    public enum State: Int, Sendable {
        case closed = 0
        case halfOpen = 1
        case open = 2
    }

    private struct Inside {
        var state = State.closed
        var backoff: Backoff
        /// No trial before this time.
        var until: ContinuousClock.Instant
    }
    private let inside: Mutex<Inside>
    private let now: @Sendable () -> ContinuousClock.Instant
    private let gauge: Meter

    /// - Parameters:
    ///   - pause: between the first failure and the first trial; doubled after each failed trial.
    ///   - longestPause: the limit of the doubling.
    public init(
        dependency: String, pause: Duration, longestPause: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        let backoff = Backoff(initial: pause / .seconds(1), limit: longestPause / .seconds(1), jitter: 0)
        inside = Mutex(Inside(backoff: backoff, until: now()))
        self.now = now
        gauge = Meter(label: "rial_circuit_state", dimensions: [("dependency", dependency)])
        gauge.set(State.closed.rawValue)
    }

    public var state: State { inside.withLock { $0.state } }

    /// Whether a call may be made now. After `true` the caller has to report the outcome: ``succeed()``, ``fail()`` or ``abandon()``.
    /// - Parameter isTrial: whether the caller can afford to wait, and so may make the trial call.
    public func mayPass(isTrial: Bool) -> Bool {
        let time = now()
        return change { inside in
            if inside.state == .closed { return true }
            guard isTrial, inside.state == .open, time >= inside.until else { return false }
            inside.state = .halfOpen
            return true
        }
    }

    /// The call succeeded.
    public func succeed() {
        change { inside in
            inside.state = .closed
            inside.backoff.reset()
        }
    }

    /// The call failed. Calls that were made before the first failure and fail after it do not lengthen the pause.
    public func fail() {
        let time = now()
        change { inside in
            guard inside.state != .open else { return }
            inside.state = .open
            inside.until = time.advanced(by: inside.backoff.next())
        }
    }

    /// The call was not made after all. If it was the trial, another caller may make one at once.
    public func abandon() {
        change { inside in if inside.state == .halfOpen { inside.state = .open } }
    }

    @discardableResult
    private func change<T: Sendable>(_ body: (inout Inside) -> T) -> T {
        inside.withLock { inside in
            defer { gauge.set(inside.state.rawValue) }
            return body(&inside)
        }
    }
}
