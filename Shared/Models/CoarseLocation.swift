/// The public form of a location.
public struct CoarseLocation: Sendable, Equatable {
    /// Degrees, WGS 84, rounded to two decimals.
    public var latitude: Double
    public var longitude: Double
    /// "San Francisco, CA", "Lyon, France", a country, or "at sea".
    public var name: String

    public init(latitude: Double, longitude: Double, name: String) {
        self.latitude = latitude
        self.longitude = longitude
        self.name = name
    }
}
