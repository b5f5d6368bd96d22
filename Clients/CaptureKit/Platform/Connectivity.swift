/// Whether the device has a network: `NWPathMonitor` on iOS.
public protocol Connectivity: Sendable {
    /// Whether there is a network now.
    var isConnected: Bool { get async }

    /// An element each time that a network appears.
    func connections() -> AsyncStream<Void>
}

/// A network that is always there, for machines without a monitor.
public struct AlwaysConnected: Connectivity {
    public init() {}
    public var isConnected: Bool { true }
    public func connections() -> AsyncStream<Void> { AsyncStream { _ in } }
}
