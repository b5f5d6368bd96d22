import Foundation

/// Watches one process on the calling thread until it has ended and is collected: takes in what it writes, up to the limits.
struct InspectorWatch {
    /// Of what it complains about no more is kept.
    private static let complaintBytes = 2048
    private static let chunkBytes = 64 * 1024

    let limits: InspectionLimits
    let killSwitch: KillSwitch

    struct Result: Sendable {
        var output: [UInt8] = []
        var complaint: [UInt8] = []
        /// Who ended it, if we did.
        var cause: KillSwitch.Cause?
        var ending = KillSwitch.Ending(status: 0, peakBytes: 0)
    }

    /// - Parameter start: when the clock began to count.
    func watch(_ process: borrowing InspectorProcess, since start: ContinuousClock.Instant) -> Result {
        let deadline = start.advanced(by: limits.wallClock)
        var result = Result()
        killSwitch.arm(process.id)
        takeIn(process, until: deadline, &result)
        result.ending = collect(process.id, until: deadline)
        result.cause = killSwitch.cause
        return result
    }

    /// Returns when both pipes are at their end, or the process was killed.
    private func takeIn(_ process: borrowing InspectorProcess, until deadline: ContinuousClock.Instant, _ result: inout Result) {
        var polled = [process.output.number, process.complaints.number].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        while polled.contains(where: { $0.fd >= 0 }), killSwitch.cause == nil {
            let left = milliseconds(until: deadline)
            guard left > 0 else { return killSwitch.pull(.deadline) }
            // A second at most: a cancelled process closes its pipes, but a child of it may hold them open.
            guard poll(&polled, nfds_t(polled.count), Int32(min(left, 1000))) > 0 else { continue }
            for index in polled.indices where polled[index].fd >= 0 && polled[index].revents != 0 {
                let count = read(polled[index].fd, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                // poll(2) passes over negative descriptors.
                guard count > 0 else {
                    polled[index].fd = -1
                    continue
                }
                if index == 1 {
                    result.complaint += chunk.prefix(min(count, Self.complaintBytes - result.complaint.count))
                } else if result.output.count + count > limits.outputBytes {
                    return killSwitch.pull(.output)
                } else {
                    result.output += chunk.prefix(count)
                }
            }
        }
    }

    /// Between the end of its output and its own end a process takes no time worth mentioning, unless it means to.
    private func collect(_ process: pid_t, until deadline: ContinuousClock.Instant) -> KillSwitch.Ending {
        var pause: UInt32 = 100
        while true {
            if let ending = killSwitch.collect(process) { return ending }
            if milliseconds(until: deadline) <= 0 { killSwitch.pull(.deadline) }
            usleep(pause)
            pause = min(pause * 2, 10_000)
        }
    }

    /// Rounded up, so that nothing is ended before its time.
    private func milliseconds(until deadline: ContinuousClock.Instant) -> Int64 {
        let left = ContinuousClock.now.duration(to: deadline).components
        let (part, rest) = left.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return left.seconds.multipliedReportingOverflow(by: 1000).partialValue &+ part &+ (rest > 0 ? 1 : 0)
    }
}
