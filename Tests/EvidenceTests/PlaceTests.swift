import CaptureProtocol
import Foundation
import Models
import Testing

@testable import Evidence

@Suite("Places")
struct PlaceTests {
    @Test("has its data of cities")
    func loaded() { #expect(CityNames.loaded.count > 30_000) }

    @Test(
        "names a place by the nearest city",
        arguments: [
            (37.7749, -122.4194, "San Francisco, CA"), (45.764, 4.8357, "Lyon, France"), (64.1466, -21.9426, "Reykjavík, Iceland"),
            (-54.8019, -68.303, "Ushuaia, Argentina"), (21.3069, -157.8583, "Honolulu, HI"), (1.29, 103.85, "Singapore, Singapore"),
            (-18.1416, 178.4419, "Suva, Fiji"), (64.73, 177.51, "Anadyr, Russia"), (-17.55, -149.56, "Papeete, French Polynesia"),
            (-23.7, 133.88, "Alice Springs, Australia"), (64.18, -51.7, "Nuuk, Greenland"),
        ])
    func cities(latitude: Double, longitude: Double, name: String) {
        #expect(CityNames.loaded.name(latitude: latitude, longitude: longitude) == name)
    }

    @Test(
        "says the city for its numbered districts",
        arguments: [
            (45.7676, 4.8345, "Lyon, France"), (48.8592, 2.3417, "Paris, France"), (43.3, 5.38, "Marseille, France"),
        ])
    func districts(latitude: Double, longitude: Double, name: String) {
        #expect(CityNames.loaded.name(latitude: latitude, longitude: longitude) == name)
    }

    @Test(
        "names the country where no city is near",
        arguments: [
            (-25.3444, 131.0369, "Australia"), (27.5, 5.0, "Algeria"), (44.5, -110.5, "United States"),
        ])
    func countries(latitude: Double, longitude: Double, name: String) {
        #expect(CityNames.loaded.name(latitude: latitude, longitude: longitude) == name)
    }

    @Test(
        "says so where there is nothing, and never fails",
        arguments: [
            (0, -140), (-48.9, -123.4), (90, 0), (90, 137), (-90, 0), (-90, -180), (0, 0), (30, -40), (.nan, 0), (0, .nan), (.infinity, 0),
            (1e300, 1e300), (0, .infinity),
        ] as [(Double, Double)])
    func nowhere(latitude: Double, longitude: Double) {
        #expect(CityNames.loaded.name(latitude: latitude, longitude: longitude) == "at sea")
    }

    @Test("finds the same city from both sides of the antimeridian")
    func antimeridian() {
        // Waiyevo on Taveuni is at 179.98° W; Labasa, the nearest large town, at 179.37° E.
        let east = CityNames.loaded.name(latitude: -16.6, longitude: 179.99)
        let west = CityNames.loaded.name(latitude: -16.6, longitude: -179.99)
        #expect(east == west && east != "at sea")
        #expect(CityNames.loaded.name(latitude: -16.6, longitude: 180) == CityNames.loaded.name(latitude: -16.6, longitude: -180))
    }

    @Test("agrees with a search of every city", arguments: 0..<4)
    func exhaustive(part: Int) throws {
        let text = try String(contentsOf: CityNames.resources.appendingPathComponent("cities15000.tsv"), encoding: .utf8)
        let places = try text.split(separator: "\n").dropFirst().map { line in
            let row = line.split(separator: "\t", omittingEmptySubsequences: false)
            return (row[0], SpherePoint(latitude: try #require(Double(row[3])), longitude: try #require(Double(row[4]))))
        }
        for index in stride(from: part, to: 200, by: 4) {
            // A golden-angle spiral, which is evenly distributed over the sphere.
            let latitude = asin(1 - 2 * (Double(index) + 0.5) / 200) * 180 / .pi
            let longitude = (Double(index) * 137.50776405).truncatingRemainder(dividingBy: 360) - 180
            let place = SpherePoint(latitude: latitude, longitude: longitude)
            let distances = places.map { SpherePoint.kilometres(squaredChord: place.squaredChord(to: $0.1)) }
            let nearest = try #require(distances.indices.min { distances[$0] < distances[$1] })
            let name = CityNames.loaded.name(latitude: latitude, longitude: longitude)
            switch distances[nearest] {
            case ...50: #expect(name.hasPrefix(places[nearest].0 + ", ") || places[nearest].0.contains { $0.isNumber })
            case ...350: #expect(name != "at sea" && !name.contains(", "))
            default: #expect(name == "at sea")
            }
        }
    }

    @Test("measures along the great circle")
    func distance() {
        let paris = SpherePoint(latitude: 48.8566, longitude: 2.3522)
        let lyon = SpherePoint(latitude: 45.764, longitude: 4.8357)
        #expect(abs(SpherePoint.kilometres(squaredChord: paris.squaredChord(to: lyon)) - 391.5) < 1)
        #expect(abs(SpherePoint.kilometres(squaredChord: SpherePoint.squaredChord(kilometres: 350)) - 350) < 1e-6)
    }

    @Test("finds no city without its data")
    func withoutData() {
        let names = CityNames(folder: URL(fileURLWithPath: "/nowhere"))
        #expect(names.count == 0 && names.name(latitude: 45.764, longitude: 4.8357) == "at sea")
    }

    @Test(
        "rounds to two decimals",
        arguments: [
            (37.774929, -122.419416, 37.77, -122.42), (-0.001, 0.001, 0, 0), (89.999, 179.999, 90, 180), (-89.995001, -179.996, -90, -180),
            (45.7649999, 4.835, 45.76, 4.84),
        ])
    func coarse(latitude: Double, longitude: Double, roundedLatitude: Double, roundedLongitude: Double) {
        let place = CoarseLocation(
            PreciseLocation(latitude: latitude, longitude: longitude, altitude: 12.345, accuracy: 1), names: .loaded)
        #expect(place.latitude == roundedLatitude && place.longitude == roundedLongitude)
        #expect(place.latitude.sign == .plus || place.latitude != 0)
    }

    @Test(
        "passes on Earth, fails elsewhere, holds no silence against anyone",
        arguments: [
            (0, 0, .pass), (90, 180, .pass), (-90, -180, .pass), (90.000001, 0, .fail), (0, 180.000001, .fail), (-90.1, 0, .fail),
            (0, -180.1, .fail), (.nan, 0, .fail), (0, .nan, .fail), (.infinity, 0, .fail), (0, -.infinity, .fail),
        ] as [(Double, Double, CheckStatus)])
    func onEarth(latitude: Double, longitude: Double, status: CheckStatus) {
        let location = PreciseLocation(latitude: latitude, longitude: longitude, altitude: nil, accuracy: nil)
        #expect(LocationCheck.result(location) == MetadataCheck(status, reason: status == .fail ? .notOnEarth : nil))
        #expect(LocationCheck.result(nil) == MetadataCheck(.unavailable, reason: .notProvided))
    }
}

extension CityNames {
    /// The bundled names, loaded once for all tests.
    static let loaded = bundled()
}
