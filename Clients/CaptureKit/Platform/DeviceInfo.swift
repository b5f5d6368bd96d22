/// What the device says of itself.
public protocol DeviceInfo: Sendable {
    /// The hardware identifier, such as "iPhone16,1": `hw.machine` of `uname`, never `UIDevice.model`, which is "iPhone" everywhere.
    var hardwareIdentifier: String { get }
    /// Whether the LiDAR sensor is there: `ARWorldTrackingConfiguration.supportsFrameSemantics(.sceneDepth)` on iOS.
    var hasLiDAR: Bool { get }
    /// Such as "18.1".
    var systemVersion: String { get }
}
