public import CaptureProtocol
public import Models

extension CoarseLocation {
    /// Rounded to two decimals, about a kilometre, and named from the rounded point, so that the name tells no more.
    /// - Parameter precise: on Earth.
    public init(_ precise: PreciseLocation, names: CityNames) {
        let latitude = Self.rounded(precise.latitude)
        let longitude = Self.rounded(precise.longitude)
        self.init(latitude: latitude, longitude: longitude, name: names.name(latitude: latitude, longitude: longitude))
    }

    /// Adding zero makes -0 a plain 0.
    private static func rounded(_ degrees: Double) -> Double { (degrees * 100).rounded() / 100 + 0 }
}
