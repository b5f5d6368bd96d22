public import CaptureProtocol

/// Where the device is.
public protocol LocationSource: Sendable {
    /// The latest position if it is at most `age` old; `nil` if there is none or the person does not allow it. Never waits for one.
    func fix(notOlderThan age: Duration) async -> PreciseLocation?
}

extension LocationSource {
    /// A position that may be written into a capture: at most five seconds old.
    public func captureFix() async -> PreciseLocation? { await fix(notOlderThan: .seconds(5)) }
}
