public import CaptureProtocol
public import Models

/// Checks that the device reported a location, and that it is on Earth (SPEC §3).
enum LocationCheck {
    static func result(_ location: PreciseLocation?) -> MetadataCheck<LocationReason> {
        guard let location else { return MetadataCheck(.unavailable, reason: .notProvided) }
        return isOnEarth(location) ? MetadataCheck(.pass) : MetadataCheck(.fail, reason: .notOnEarth)
    }

    /// False also for non-finite coordinates.
    static func isOnEarth(_ location: PreciseLocation) -> Bool {
        (-90...90).contains(location.latitude) && (-180...180).contains(location.longitude)
    }
}

extension CoarseLocation {
    /// Rounded to two decimals, about a kilometre. The name is that of the rounded point, so that it reveals no more.
    /// - Parameter precise: on Earth.
    public init(_ precise: PreciseLocation, names: CityNames) {
        let latitude = Self.rounded(precise.latitude)
        let longitude = Self.rounded(precise.longitude)
        self.init(latitude: latitude, longitude: longitude, name: names.name(latitude: latitude, longitude: longitude))
    }

    /// Adding zero makes -0 a plain 0.
    private static func rounded(_ degrees: Double) -> Double { (degrees * 100).rounded() / 100 + 0 }
}
