public import Foundation

/// `timestamptz`: whole microseconds since 2000-01-01 00:00 UTC.
extension Date: PostgresBindable {
    public static var postgresType: UInt32 { TypeID.timestamptz }

    /// Rounded to the nearest microsecond. A date that PostgreSQL cannot store, or NaN, is sent as a value that it rejects (SQLSTATE
    /// 22008).
    public var postgresBytes: [UInt8]? {
        let micros = ((timeIntervalSinceReferenceDate + Self.secondsFrom2000ToReference) * 1_000_000).rounded()
        // Int64.max itself means "infinity".
        return bigEndianBytes(Int64(exactly: micros) ?? (micros < 0 ? Int64.min + 1 : Int64.max - 1))
    }

    /// From 2000-01-01 to Foundation's reference date 2001-01-01: a leap year.
    private static var secondsFrom2000ToReference: Double { 31_622_400 }
}

extension Date: PostgresDecodable {
    /// Reads `2026-11-21 07:00:00.123456+00` (DateStyle ISO, TimeZone UTC), and the date of a `date` column as midnight UTC. `nil` for
    /// `infinity` and for years before 1.
    public static func decode(postgresText text: ArraySlice<UInt8>) -> Date? {
        var reader = FieldReader(rest: text)
        guard let year = reader.number(digits: 4...6), reader.skip("-"), let month = reader.number(digits: 2...2),
            reader.skip("-"), let day = reader.number(digits: 2...2), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        var seconds = daysFrom2001(year: year, month: month, day: day) * 86_400
        guard !reader.rest.isEmpty else { return Date(timeIntervalSinceReferenceDate: Double(seconds)) }
        guard reader.skip(" "), let hour = reader.number(digits: 2...2), reader.skip(":"),
            let minute = reader.number(digits: 2...2), reader.skip(":"), let second = reader.number(digits: 2...2)
        else { return nil }
        seconds += hour * 3600 + minute * 60 + second
        var micros = 0
        if reader.skip(".") {
            let before = reader.rest.count
            guard let digits = reader.number(digits: 1...6) else { return nil }
            micros = (before - reader.rest.count..<6).reduce(digits) { value, _ in value * 10 }
        }
        guard reader.skip("+"), reader.number(digits: 2...2) == 0, reader.rest.isEmpty else { return nil }
        return Date(timeIntervalSinceReferenceDate: (Double(seconds) * 1_000_000 + Double(micros)) / 1_000_000)
    }

    /// Days in the proleptic Gregorian calendar, for years from 1.
    private static func daysFrom2001(year: Int, month: Int, day: Int) -> Int {
        // Years that begin in March have their leap day last.
        let marchYear = month > 2 ? year : year - 1
        let daysBeforeMonth = (153 * ((month + 9) % 12) + 2) / 5
        let days = marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + daysBeforeMonth + day - 1
        return days - 730_791
    }
}

/// Takes decimal fields off the front of ASCII text.
private struct FieldReader {
    var rest: ArraySlice<UInt8>

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func number(digits: ClosedRange<Int>) -> Int? {
        let field = rest.prefix(digits.upperBound).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard digits.contains(field.count) else { return nil }
        rest = rest.dropFirst(field.count)
        return field.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
