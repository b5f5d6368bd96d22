import Foundation

/// Names places by the nearest city of more than 15,000 people (GeoNames, CC BY 4.0), by great circle.
///
/// Within 50 km of a city a place is named after it, with the state's letters in the USA and the country elsewhere. Up to 350 km it is
/// named after the nearest city's country: far enough for most empty land, and not as far as the middle of an ocean. Beyond that it is "at
/// sea". The data have no coasts: remote land, such as inner Greenland or the South Pole, is "at sea" too, and water within 350 km of a
/// city has a country's name.
public struct CityNames: Sendable {
    static let cityRadiusKilometres = 50.0
    static let countryRadiusKilometres = 350.0
    static let nowhere = "at sea"

    /// Loads the names from the module's resources, which takes tenths of a second; without them every place is "at sea".
    public static func bundled() -> CityNames { CityNames(folder: resources) }
    static var resources: URL { Bundle.module.bundleURL.appendingPathComponent("Resources") }

    private struct City: Sendable {
        let name: String
        let admin1: String
        let country: String
        let place: SpherePoint

        var identity: String { "\(country)\t\(admin1)\t\(name)" }
    }
    /// Sorted from south to north, so that a search can stop once the difference in latitude alone is too large.
    private let cities: [City]
    private let countries: [String: String]

    /// - Parameter folder: has `cities15000.tsv` and `countries.tsv`, each with a heading.
    init(folder: URL) {
        countries = Dictionary(
            Self.rows(folder.appendingPathComponent("countries.tsv")).compactMap { row in
                row.count >= 2 ? (row[0], row[1]) : nil
            }
        ) { first, _ in first }
        let all = Self.rows(folder.appendingPathComponent("cities15000.tsv")).compactMap { row -> City? in
            guard row.count >= 5, let latitude = Double(row[3]), let longitude = Double(row[4]) else { return nil }
            let place = SpherePoint(latitude: latitude, longitude: longitude)
            return City(name: row[0], admin1: row[1], country: row[2], place: place)
        }
        let known = Set(all.map(\.identity))
        cities = all.filter { city in
            guard let whole = Self.nameOfWhole(city.name) else { return true }
            return !known.contains(City(name: whole, admin1: city.admin1, country: city.country, place: city.place).identity)
        }.sorted { $0.place.latitude < $1.place.latitude }
    }

    /// The city's name for a numbered district ("Lyon 01", "Zürich (Kreis 4)"), which the data list as places of their own; `nil` for any
    /// other name. Districts of known cities are left out.
    private static func nameOfWhole(_ name: String) -> String? {
        guard let cut = name.utf8.firstIndex(where: { $0 == UInt8(ascii: "(") || (0x30...0x39).contains($0) }),
            name[..<cut].last == " "
        else { return nil }
        return String(name[..<cut].dropLast())
    }

    /// The number of known cities.
    public var count: Int { cities.count }

    /// "San Francisco, CA", "Lyon, France", "France", or "at sea".
    /// - Parameters: degrees, WGS 84.
    public func name(latitude: Double, longitude: Double) -> String {
        let place = SpherePoint(latitude: latitude, longitude: longitude)
        guard let (city, kilometres) = nearest(to: place) else { return Self.nowhere }
        let country = countries[city.country] ?? city.country
        if kilometres <= Self.cityRadiusKilometres { return "\(city.name), \(city.country == "US" ? city.admin1 : country)" }
        return country
    }

    /// The nearest city within ``countryRadiusKilometres``; `nil` also if the place is not finite.
    private func nearest(to place: SpherePoint) -> (City, kilometres: Double)? {
        guard place.latitude.isFinite, place.x.isFinite else { return nil }
        let reach = Self.countryRadiusKilometres / SpherePoint.kilometresPerDegree
        let start = index(from: place.latitude - reach)
        var best: (city: City, chord: Double)?
        var limit = SpherePoint.squaredChord(kilometres: Self.countryRadiusKilometres)
        for city in cities[start...] {
            if city.place.latitude > place.latitude + reach { break }
            let chord = place.squaredChord(to: city.place)
            guard chord <= limit else { continue }
            limit = chord
            best = (city, chord)
        }
        return best.map { ($0.city, SpherePoint.kilometres(squaredChord: $0.chord)) }
    }

    /// The first city that is not south of `latitude`.
    private func index(from latitude: Double) -> Int {
        var low = 0
        var high = cities.count
        while low < high {
            let middle = low + (high - low) / 2
            if cities[middle].place.latitude < latitude { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func rows(_ file: URL) -> [[String]] {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return text.split(whereSeparator: \.isNewline).dropFirst().map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
