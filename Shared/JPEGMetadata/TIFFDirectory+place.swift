package import CaptureProtocol

extension TIFFDirectory {
    /// The GPS directory of a photo (CIPA DC-008 §4.6.6), in the format of an iPhone.
    /// - Parameter location: coordinates are clamped to those on Earth; altitude and accuracy are left out unless they are numbers.
    package init(place location: PreciseLocation) {
        self.init()
        bytes(0x0000, [2, 3, 0, 0])
        ascii(0x0001, location.latitude < 0 ? "S" : "N")
        rational(0x0002, Self.degrees(location.latitude, limit: 90))
        ascii(0x0003, location.longitude < 0 ? "W" : "E")
        rational(0x0004, Self.degrees(location.longitude, limit: 180))
        if let altitude = location.altitude, altitude.isFinite {
            bytes(0x0005, [altitude < 0 ? 1 : 0])
            rational(0x0006, [Self.hundredths(altitude)])
        }
        if let accuracy = location.accuracy, accuracy.isFinite, accuracy >= 0 { rational(0x001f, [Self.hundredths(accuracy)]) }
    }

    /// Degrees, minutes and seconds; a hundredth of a second is 30 cm.
    private static func degrees(_ value: Double, limit: Double) -> [(UInt32, UInt32)] {
        let hundredths = UInt32((min(abs(value.isFinite ? value : 0), limit) * 360_000).rounded())
        return [(hundredths / 360_000, 1), (hundredths / 6000 % 60, 1), (hundredths % 6000, 100)]
    }

    /// Metres without their sign, at most a thousand kilometres.
    private static func hundredths(_ metres: Double) -> (UInt32, UInt32) { (UInt32((min(abs(metres), 1e6) * 100).rounded()), 100) }
}
