/// One metadata check: its status, and a stable reason for every status but `pass`.
public struct MetadataCheck<Reason>: Codable, Sendable, Equatable
where Reason: RawRepresentable & Sendable & Hashable, Reason.RawValue == String {
    public var status: CheckStatus
    public var reason: StableWord<Reason>?

    public init(_ status: CheckStatus, reason: Reason? = nil) {
        self.status = status
        self.reason = reason.map(StableWord.init)
    }
}

/// The location check with the public form of the location.
public struct LocationEvidence: Codable, Sendable, Equatable {
    public var status: CheckStatus
    public var reason: StableWord<LocationReason>?
    /// Degrees, WGS 84, rounded to two decimals; omitted without a location on Earth.
    public var latitude: Double?
    public var longitude: Double?

    public init(_ check: MetadataCheck<LocationReason>, place: CoarseLocation?) {
        status = check.status
        reason = check.reason
        latitude = place?.latitude
        longitude = place?.longitude
    }

    /// Whether coordinates were given that no place on Earth has: the only location that fails.
    public var isNotOnEarth: Bool { status == .fail }
}
