/// The metadata checks and their combined results.
public struct MetadataEvidence: Codable, Sendable, Equatable {
    public var timestamp: MetadataCheck<TimestampReason>
    public var model: MetadataCheck<ModelReason>
    public var resolution: MetadataCheck<ResolutionReason>
    public var location: LocationEvidence
    /// Null if the check was inconclusive.
    public var timestampValid: Bool?
    public var modelVerified: Bool?
    public var locationAvailable: Bool
    /// "San Francisco, CA", "Lyon, France", a country, or "at sea"; null without a location on Earth.
    public var locationCoarse: String?
    /// Whether the coarse location is left out, by name too.
    private var isWithoutPlace = false

    /// - Parameter place: `nil` unless the location check passed.
    public init(
        timestamp: MetadataCheck<TimestampReason>, model: MetadataCheck<ModelReason>, resolution: MetadataCheck<ResolutionReason>,
        location: MetadataCheck<LocationReason>, place: CoarseLocation?
    ) {
        self.timestamp = timestamp
        self.model = model
        self.resolution = resolution
        self.location = LocationEvidence(location, place: place)
        timestampValid = Self.truth(timestamp.status)
        modelVerified = Self.truth(model.status)
        locationAvailable = place != nil
        locationCoarse = place?.name
    }

    /// Leaves out where it was, but not whether that is known.
    mutating func leaveOutPlace() {
        isWithoutPlace = true
        locationCoarse = nil
        location.latitude = nil
        location.longitude = nil
    }

    private static func truth(_ status: CheckStatus) -> Bool? {
        switch status {
        case .pass: true
        case .fail: false
        case .inconclusive, .unavailable: nil
        }
    }

    enum CodingKeys: String, CodingKey {
        case timestamp, model, resolution, location
        case timestampValid = "timestamp_valid"
        case modelVerified = "model_verified"
        case locationAvailable = "location_available"
        case locationCoarse = "location_coarse"
    }

    /// Unknown fields are `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(timestamp, forKey: .timestamp)
        try container.encode(model, forKey: .model)
        try container.encode(resolution, forKey: .resolution)
        try container.encode(location, forKey: .location)
        try container.encode(timestampValid, forKey: .timestampValid)
        try container.encode(modelVerified, forKey: .modelVerified)
        try container.encode(locationAvailable, forKey: .locationAvailable)
        if !isWithoutPlace { try container.encode(locationCoarse, forKey: .locationCoarse) }
    }
}
