/// What one inspection may take.
public struct InspectionLimits: Sendable, Equatable {
    /// From the start of the process to its end.
    public let wallClock: Duration
    /// Time on processors; counted in whole seconds, at least one.
    public let cpu: Duration
    /// Address space, the libraries included.
    public let memoryBytes: Int
    /// Of the report as JSON.
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

    /// When the process ends itself should nobody else end it: later than anybody who watches it would.
    var orphanSeconds: Int { max(1, Int(clamping: wallClock.components.seconds)).addingReportingOverflow(5).partialValue }
}
