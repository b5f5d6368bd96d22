import Blocking
import Foundation

/// Watches one process on the calling thread until it has ended and been reaped; reads its output, up to the limits.
struct InspectorWatch {
    /// Bytes of standard error that are kept.
    private static let errorBytes = 2048
    private static let chunkBytes = 64 * 1024

    let limits: InspectionLimits
    let killSwitch: KillSwitch
    /// What may stop the process for a while.
    let pause: ProcessPause?

    /// - Parameters:
    ///   - start: the start of the timeout.
    ///   - consumer: takes the output; `nil` to collect it.
    func watch(
        _ process: borrowing InspectorProcess, since start: ContinuousClock.Instant, _ consumer: SandboxedProgram.Consumer?
    ) -> SandboxedProgram.Result {
        let deadline = start.advanced(by: limits.wallClock)
        var result = SandboxedProgram.Result()
        killSwitch.arm(process.id)
        defer { pause?.remove(killSwitch) }
        readOutput(of: process, until: deadline, consumer, &result)
        result.ending = collect(process.id, until: deadline)
        result.cause = killSwitch.cause
        return result
    }

    /// Returns when both pipes have ended, or the process was killed.
    private func readOutput(
        of process: borrowing InspectorProcess, until deadline: ContinuousClock.Instant, _ consumer: SandboxedProgram.Consumer?,
        _ result: inout SandboxedProgram.Result
    ) {
        var written = 0
        var polled = [process.output.number, process.errors.number].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        while polled.contains(where: { $0.fd >= 0 }), killSwitch.cause == nil {
            let left = milliseconds(until: deadline)
            guard left > 0 else { return killSwitch.pull(.deadline) }
            // At most a second: a killed process closes its pipes, but a child process may keep them open.
            guard poll(&polled, nfds_t(polled.count), Int32(min(left, 1000))) > 0 else { continue }
            for index in polled.indices where polled[index].fd >= 0 && polled[index].revents != 0 {
                let count = read(polled[index].fd, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                // poll(2) skips negative descriptors.
                guard count > 0 else {
                    polled[index].fd = -1
                    continue
                }
                if index == 1 {
                    result.errors += chunk.prefix(min(count, Self.errorBytes - result.errors.count))
                    continue
                }
                if written == 0 { pause?.add(killSwitch) }
                written += count
                guard written <= limits.outputBytes else { return killSwitch.pull(.output) }
                if let consumer {
                    guard consumer(chunk.prefix(count)) else { return killSwitch.pull(.output) }
                } else {
                    result.output += chunk.prefix(count)
                }
            }
        }
    }

    /// A process normally exits right after it closes its pipes; the deadline is for one that does not.
    private func collect(_ process: pid_t, until deadline: ContinuousClock.Instant) -> KillSwitch.Ending {
        var backoff = Backoff(initial: 0.0001, limit: 0.01, jitter: 0)
        while true {
            if let ending = killSwitch.collect(process) { return ending }
            if milliseconds(until: deadline) <= 0 { killSwitch.pull(.deadline) }
            // The thread is the watch's own, and the kernel tells of an ended process only who asks.
            Thread.sleep(forTimeInterval: backoff.next() / .seconds(1))
        }
    }

    /// Rounded up, so that nothing is killed before the deadline.
    private func milliseconds(until deadline: ContinuousClock.Instant) -> Int64 {
        let left = ContinuousClock.now.duration(to: deadline).components
        let (part, rest) = left.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return left.seconds.multipliedReportingOverflow(by: 1000).partialValue &+ part &+ (rest > 0 ? 1 : 0)
    }
}
