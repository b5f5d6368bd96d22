import Foundation

/// A point on the unit sphere. The nearest point in space is also the nearest on the ground, even at the poles and the antimeridian.
struct SpherePoint: Sendable {
    private static let radiusKilometres = 6371.0088
    static let kilometresPerDegree = radiusKilometres * .pi / 180
    /// Degrees.
    let latitude: Double
    let x, y, z: Double

    init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        let phi = latitude * .pi / 180
        let lambda = longitude * .pi / 180
        x = cos(phi) * cos(lambda)
        y = cos(phi) * sin(lambda)
        z = sin(phi)
    }

    /// Square of the straight-line distance, 0...4.
    func squaredChord(to other: SpherePoint) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return dx * dx + dy * dy + dz * dz
    }

    /// Along the great circle.
    static func kilometres(squaredChord: Double) -> Double {
        2 * radiusKilometres * asin(min(squaredChord.squareRoot() / 2, 1))
    }

    static func squaredChord(kilometres: Double) -> Double {
        let chord = 2 * sin(kilometres / (2 * radiusKilometres))
        return chord * chord
    }
}
