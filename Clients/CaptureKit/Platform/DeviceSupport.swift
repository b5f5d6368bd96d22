import CaptureProtocol

/// Whether this device can capture: iPhones with LiDAR, which are the Pro models from iPhone 12 Pro on.
public struct DeviceSupport: Sendable, Equatable {
    /// Apple's product name ("iPhone 15 Pro"), or the hardware identifier if the model is not known.
    public let modelName: String
    /// `nil` if the device is supported.
    public let problem: DeviceProblem?

    public var isSupported: Bool { problem == nil }

    public init(_ device: some DeviceInfo) {
        let identifier = device.hardwareIdentifier
        let model = IPhoneModels.find(identifier)
        modelName = model?.name ?? identifier
        problem =
            if !identifier.hasPrefix("iPhone") {
                .notAnIPhone
            } else if IPhoneModels.isWithoutLiDAR(identifier) {
                .modelWithoutLiDAR
            } else if !device.hasLiDAR {
                // Also of models that are newer than the table: those with LiDAR are supported.
                .sensorMissing
            } else {
                nil
            }
    }
}

/// Why a device cannot capture.
public enum DeviceProblem: Sendable, CaseIterable {
    /// An iPad, a Mac or the simulator.
    case notAnIPhone
    /// An iPhone that Apple sells without LiDAR.
    case modelWithoutLiDAR
    /// A model that should have LiDAR, or an unknown one, but the system says that there is none.
    case sensorMissing

    /// For the person, in English.
    public var explanation: String {
        switch self {
        case .notAnIPhone: "Captures need an iPhone with a LiDAR scanner: iPhone 12 Pro or a later Pro model."
        case .modelWithoutLiDAR: "This iPhone has no LiDAR scanner, which captures need. iPhone 12 Pro and later Pro models have one."
        case .sensorMissing: "The LiDAR scanner of this iPhone is not available, so it cannot capture."
        }
    }
}
