public import CSandbox

/// Limits of one inspection.
public struct InspectionLimits: Sendable, Equatable {
    /// From the start of the process to its end.
    public let wallClock: Duration
    /// CPU time, in whole seconds, at least one.
    public let cpu: Duration
    /// Address space, the libraries included.
    public let memoryBytes: Int
    /// The size of the report as JSON.
    public let outputBytes: Int

    public init(
        wallClock: Duration = .seconds(20), cpu: Duration = .seconds(10), memoryBytes: Int = 1 << 30, outputBytes: Int = 1 << 20
    ) {
        self.wallClock = wallClock
        self.cpu = cpu
        self.memoryBytes = memoryBytes
        self.outputBytes = outputBytes
    }

    var cpuSeconds: Int { max(1, Int(clamping: cpu.components.seconds)) }

    /// After this time an orphaned process ends itself; later than the watching process's timeout.
    var orphanSeconds: Int { max(1, Int(clamping: wallClock.components.seconds)).addingReportingOverflow(5).partialValue }

    /// The arguments by which the program sets its own limits: ``rial_sandbox_limits/take(_:_:)`` reads them.
    var arguments: [String] {
        ["--memory-bytes", "\(memoryBytes)", "--cpu-seconds", "\(cpuSeconds)", "--wall-seconds", "\(orphanSeconds)"]
    }
}

extension rial_sandbox_limits {
    /// Takes over a limit from the program's arguments.
    /// - Returns: false for another argument, or if the value is no number or too large.
    public mutating func take(_ name: String, _ value: String) -> Bool {
        switch name {
        case "--memory-bytes":
            guard let number = UInt64(value) else { return false }
            memory_bytes = number
        case "--cpu-seconds":
            guard let number = UInt64(value), number > 0, number < UInt64(UInt32.max) else { return false }
            cpu_seconds = number
        case "--wall-seconds":
            guard let number = UInt32(value) else { return false }
            wall_seconds = number
        default: return false
        }
        return true
    }
}
