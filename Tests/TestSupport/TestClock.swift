import Synchronization

/// A clock controlled by a test: it jumps to the end of each sleep, or stands still until it is advanced.
public final class TestClock: Clock {
    public struct Instant: InstantProtocol {
        fileprivate let offset: Duration

        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleeps: [Duration] = []
        var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    }

    private let state = Mutex(State())
    private let isHeld: Bool
    public let minimumResolution = Duration.zero

    /// - Parameter isHeld: whether it stands still, so that sleeps last until ``advance(by:)``.
    public init(isHeld: Bool = false) { self.isHeld = isHeld }

    public var now: Instant { state.withLock { $0.now } }
    /// The requested durations of all sleeps so far, in order.
    public var sleeps: [Duration] { state.withLock { $0.sleeps } }
    /// The number of current sleepers.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.sleeps.append(state.now.duration(to: deadline))
            if !isHeld { state.now = max(state.now, deadline) }
            return state.sleeps.count
        }
        guard isHeld else { return await Task.yield() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !Task.isCancelled, deadline > state.now else { return true }
                    state.sleepers[id] = (deadline, continuation)
                    return false
                }
                if isOver { continuation.resume(with: Result { try Task.checkCancellation() }) }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }
}

/// The condition did not hold before the timeout.
public struct NotInTime: Error, CustomStringConvertible {
    public let description: String
}

/// Waits until the condition holds, by default at most half a minute.
/// - Throws: ``NotInTime``, or the condition's error.
public func waitUntil(_ what: String, within limit: Duration = .seconds(30), _ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard .now < deadline else { throw NotInTime(description: "not in time: \(what)") }
        try await Task.sleep(for: .milliseconds(1))
    }
}
