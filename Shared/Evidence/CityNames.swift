import Foundation
import Models

/// Names places by the nearest city of more than 15,000 people (GeoNames, CC BY 4.0).
public final class CityNames: Sendable {
    /// Within this distance a place takes the city's name.
    static let cityRadiusKilometres = 50.0
    /// Within this distance of a city it takes the country's name, beyond it is "at sea" (or in a desert as empty).
    static let countryRadiusKilometres = 350.0
    private static let earthRadiusKilometres = 6371.0088

    private struct City: Sendable {
        let name: String
        let admin1: String
        let country: String
        /// On the unit sphere: the nearest in space is the nearest on the ground, poles and antimeridian included.
        let x, y, z: Double
    }
    private let cities: [City]
    private let countries: [String: String]

    /// Loaded once, from the module's resources; empty if they are missing, and every place is then "at sea".
    public static let shared = CityNames()

    init() {
        let folder = Bundle.module.bundleURL.appendingPathComponent("Resources")
        countries = Dictionary(Self.rows(folder.appendingPathComponent("countries.tsv")).compactMap { row in
            row.count >= 2 ? (row[0], row[1]) : nil
        }) { first, _ in first }
        cities = Self.rows(folder.appendingPathComponent("cities15000.tsv")).compactMap { row in
            guard row.count >= 5, let latitude = Double(row[3]), let longitude = Double(row[4]) else { return nil }
            let point = Self.unitVector(latitude: latitude, longitude: longitude)
            return City(name: row[0], admin1: row[1], country: row[2], x: point.x, y: point.y, z: point.z)
        }
    }

    /// How many cities are known.
    public var count: Int { cities.count }

    /// "San Francisco, CA", "Lyon, France", "France", or "at sea".
    public func name(latitude: Double, longitude: Double) -> String {
        let point = Self.unitVector(latitude: latitude, longitude: longitude)
        var best = -2.0
        var nearest: City?
        for city in cities {
            let cosine = city.x * point.x + city.y * point.y + city.z * point.z
            if cosine > best {
                best = cosine
                nearest = city
            }
        }
        guard let nearest else { return "at sea" }
        let distance = acos(min(max(best, -1), 1)) * Self.earthRadiusKilometres
        let country = countries[nearest.country] ?? nearest.country
        if distance <= Self.cityRadiusKilometres {
            return "\(nearest.name), \(nearest.country == "US" ? nearest.admin1 : country)"
        }
        return distance <= Self.countryRadiusKilometres ? country : "at sea"
    }

    private static func rows(_ file: URL) -> [[String]] {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").dropFirst().map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    }

    private static func unitVector(latitude: Double, longitude: Double) -> (x: Double, y: Double, z: Double) {
        let phi = latitude * .pi / 180
        let lambda = longitude * .pi / 180
        return (cos(phi) * cos(lambda), cos(phi) * sin(lambda), sin(phi))
    }
}

extension CoarseLocation {
    /// Rounded to two decimals, about a kilometre, and named from the rounded point, so that the name tells no more.
    public init(_ precise: PreciseLocation, names: CityNames) {
        let latitude = (precise.latitude * 100).rounded() / 100
        let longitude = (precise.longitude * 100).rounded() / 100
        self.init(latitude: latitude, longitude: longitude, name: names.name(latitude: latitude, longitude: longitude))
    }
}
