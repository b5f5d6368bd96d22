import Foundation
import Synchronization

/// Kills one process at most once, from any thread, or stops it meanwhile, and never a later process with the same id.
final class KillSwitch: Sendable {
    enum Cause: Sendable, Equatable { case deadline, output, cancellation }

    private enum State {
        case waiting
        case armed(pid_t)
        case pulled(Cause)
        /// The process was reaped; another process may have its id now.
        case collected
    }
    private let state = Mutex(State.waiting)

    var cause: Cause? {
        state.withLock { if case .pulled(let cause) = $0 { cause } else { nil } }
    }

    /// Kills the process and its group now, or as soon as it is started; the first cause counts.
    func pull(_ cause: Cause) {
        state.withLock { state in
            switch state {
            case .waiting: state = .pulled(cause)
            case .armed(let process):
                Self.end(process)
                state = .pulled(cause)
            case .pulled, .collected: break
            }
        }
    }

    /// - Parameter process: leads its process group; only ``collect(_:)`` reaps it.
    func arm(_ process: pid_t) {
        state.withLock { state in
            if case .waiting = state { state = .armed(process) } else { Self.end(process) }
        }
    }

    enum Signal: Sendable { case stop, proceed }

    /// Stops the process and its group, or lets them go on; nothing if it has ended.
    func send(_ signal: Signal) {
        state.withLock { state in
            guard case .armed(let process) = state else { return }
            kill(-process, signal == .stop ? SIGSTOP : SIGCONT)
        }
    }

    /// Reaps the process if it has ended; if it was killed, waits for its end.
    /// - Returns: `nil` while it runs.
    func collect(_ process: pid_t) -> Ending? {
        // It is killed only once, so waiting for a killed process needs no lock.
        if cause != nil { return Self.wait(process, 0) }
        return state.withLock { state in
            guard case .armed = state else { return nil }
            let ending = Self.wait(process, WNOHANG)
            if ending != nil { state = .collected }
            return ending
        }
    }

    struct Ending: Equatable {
        /// The status of wait(2).
        let status: Int32
        /// Peak resident memory.
        let peakBytes: Int

        /// The signal that ended it; `nil` if it exited.
        var signal: Int32? { status & 0x7f == 0 ? nil : status & 0x7f }
        var exitCode: Int32 { (status >> 8) & 0xff }
    }

    private static func wait(_ process: pid_t, _ options: Int32) -> Ending? {
        var status: Int32 = 0
        var usage = rusage()
        while true {
            let result = wait4(process, &status, options, &usage)
            if result < 0, errno == EINTR { continue }
            if result == 0 { return nil }
            // Something else has reaped it: how it ended is unknown, so its output must not count.
            if result < 0 { return Ending(status: SIGHUP, peakBytes: 0) }
            return Ending(status: status, peakBytes: usage.ru_maxrss.multipliedReportingOverflow(by: 1024).partialValue)
        }
    }

    private static func end(_ process: pid_t) {
        if kill(-process, SIGKILL) != 0 { kill(process, SIGKILL) }
    }
}
