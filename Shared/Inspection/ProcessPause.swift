import Synchronization

/// Stops the processes of a program while something more urgent is done beside them.
///
/// A low priority alone is not enough: a busy process beside takes caches, memory bandwidth and often half of a shared core. What is
/// stopped still ends: a stop lasts at most ``longest``, is followed by at least as long without one, and comes only in a process's first
/// ``firstPart``, so that it costs a process at most half of that of its timeout.
public final class ProcessPause: Sendable {
    /// The longest stop.
    public static let longest = Duration.milliseconds(250)
    /// The age from which a process is no longer stopped.
    public static let firstPart = Duration.seconds(60)

    private struct State {
        var schedule = PauseSchedule()
        var running: [(process: KillSwitch, since: ContinuousClock.Instant)] = []
    }
    private let state = Mutex(State())
    private let stopped: @Sendable () -> Void

    /// - Parameter stopped: called for each stop of at least one process; for metrics.
    public init(stopped: @escaping @Sendable () -> Void = {}) {
        self.stopped = stopped
    }

    /// Does something urgent.
    public func during<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        begin()
        defer { end() }
        return try await body()
    }

    private func begin() {
        let now = ContinuousClock.now
        let isStopping = state.withLock { state in
            let young = state.running.filter { now - $0.since < Self.firstPart }
            guard state.schedule.begin(at: now, isAnyRunning: !young.isEmpty) else { return false }
            for entry in young { entry.process.send(.stop) }
            return true
        }
        guard isStopping else { return }
        stopped()
        // Nobody cancels this task: it ends after ``longest``, and changes nothing if its stop is over by then. It is small, and there is
        // one for each stop.
        Task {
            try? await Task.sleep(for: Self.longest)
            change { $0.expire(stopOf: now, at: .now) }
        }
    }

    private func end() { change { $0.end(at: .now) } }

    /// - Parameter mutation: whether the processes go on.
    private func change(_ mutation: (inout PauseSchedule) -> Bool) {
        state.withLock { state in
            guard mutation(&state.schedule) else { return }
            for entry in state.running { entry.process.send(.proceed) }
        }
    }

    /// - Parameter process: has written something, so its sandbox is closed: it ends with this process even while it is stopped.
    func add(_ process: KillSwitch) {
        state.withLock { $0.running.append((process, .now)) }
    }

    func remove(_ process: KillSwitch) {
        state.withLock { $0.running.removeAll { $0.process === process } }
    }
}

/// When processes are stopped.
struct PauseSchedule {
    private var urgent = 0
    private var stop: ContinuousClock.Instant?
    /// No stop before.
    private var earliest: ContinuousClock.Instant?

    /// Something urgent begins.
    /// - Parameter isAnyRunning: whether there is a process to stop.
    /// - Returns: whether it stops now.
    mutating func begin(at now: ContinuousClock.Instant, isAnyRunning: Bool) -> Bool {
        urgent += 1
        guard isAnyRunning, stop == nil, earliest.map({ now >= $0 }) ?? true else { return false }
        stop = now
        return true
    }

    /// Something urgent has ended.
    /// - Returns: whether what is stopped goes on.
    mutating func end(at now: ContinuousClock.Instant) -> Bool {
        urgent -= 1
        return urgent == 0 && proceed(at: now)
    }

    /// A stop has lasted long enough.
    /// - Returns: whether what is stopped goes on.
    mutating func expire(stopOf start: ContinuousClock.Instant, at now: ContinuousClock.Instant) -> Bool {
        stop == start && proceed(at: now)
    }

    private mutating func proceed(at now: ContinuousClock.Instant) -> Bool {
        guard let start = stop else { return false }
        stop = nil
        earliest = now + (now - start)
        return true
    }
}
