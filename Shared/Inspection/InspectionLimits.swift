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
}
