public import CaptureProtocol

/// An operator revoked a device, or took that back (SPEC §14). The event only announces: what was decided, and from when on it counts, is
/// in `device_events`.
public struct DeviceRevoked: Event, Equatable {
    public static let topic = Topic.deviceRevoked
    public let deviceID: DeviceID
    public var partitionKey: String { deviceID.description }

    public init(deviceID: DeviceID) { self.deviceID = deviceID }

    enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
    }
}
