/// What the device says of itself.
public protocol DeviceInfo: Sendable {
    /// The hardware identifier, such as "iPhone16,1": `hw.machine` of `uname`, never `UIDevice.model`, which is "iPhone" everywhere.
    var hardwareIdentifier: String { get }
    /// Whether the LiDAR sensor is there: `ARWorldTrackingConfiguration.supportsFrameSemantics(.sceneDepth)` on iOS.
    var hasLiDAR: Bool { get }
    /// Such as "18.1".
    var systemVersion: String { get }
    /// The app's version, such as "1.4"; `nil` if it has none, which is the default.
    var appVersion: String? { get }
}

extension DeviceInfo {
    public var appVersion: String? { nil }
}
