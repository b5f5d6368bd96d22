/// How much of a capture's metadata its person shares in privacy mode (SPEC §9). What a flag keeps back is in no payload and in no public
/// answer.
public struct MetadataFlags: Codable, Sendable, Hashable {
    /// How exact the payload says where the capture was made.
    public enum Location: String, Codable, Sendable, CaseIterable {
        case none
        /// Degrees in multiples of 0.01, rounded on the device.
        case coarse
        case precise
    }

    /// What the payload says of the device.
    public enum Device: String, Codable, Sendable, CaseIterable {
        case none
        case model
        /// The model and the versions of system and app.
        case full
    }

    public let location: Location
    public let timestamp: TimePrecision
    public let device: Device

    enum CodingKeys: String, CodingKey { case location, timestamp, device }

    public init(location: Location, timestamp: TimePrecision, device: Device) {
        self.location = location
        self.timestamp = timestamp
        self.device = device
    }

    /// Nothing is kept back, as with all captures that are sent with their media.
    public static let everything = MetadataFlags(location: .precise, timestamp: .exact, device: .full)

    /// How exactly the times of receipt and processing are public: as exactly as the capture's, but always by the day.
    public var receipt: TimePrecision { timestamp == .exact ? .exact : .day }

    /// All combinations.
    public static let all: [MetadataFlags] = Location.allCases.flatMap { location in
        TimePrecision.allCases.flatMap { time in Device.allCases.map { MetadataFlags(location: location, timestamp: time, device: $0) } }
    }
}
