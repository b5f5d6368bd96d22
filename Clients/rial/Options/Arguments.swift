public import ArgumentParser
public import CaptureProtocol
import Foundation
import RialClient

/// The size of a picture in pixels, such as `4032x3024`.
struct SizeArgument: ExpressibleByArgument {
    let width: Int
    let height: Int

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// - Returns: `nil` unless both are 16…8192.
    init?(argument: String) {
        let sides = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1], (16...8192).contains(width), (16...8192).contains(height)
        else { return nil }
        self.init(width: width, height: height)
    }

    var defaultValueDescription: String { "\(width)x\(height)" }
}

/// A time with its offset from UTC.
struct RFC3339Time: ExpressibleByArgument {
    let date: Date

    init?(argument: String) {
        guard let date = Timestamp.parse(argument) else { return nil }
        self.date = date
    }
}

/// `LAT,LON` in degrees. Invalid coordinates are accepted, to test the server's response.
struct LocationArgument: ExpressibleByArgument {
    let location: PreciseLocation

    init?(argument: String) {
        let numbers = argument.split(separator: ",", omittingEmptySubsequences: false)
            .map { Double($0.trimmingCharacters(in: .whitespaces)) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1], latitude.isFinite, longitude.isFinite
        else { return nil }
        location = PreciseLocation(latitude: latitude, longitude: longitude)
    }
}

extension CaptureID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension DeviceID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
