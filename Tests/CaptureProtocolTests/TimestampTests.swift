import Foundation
import Testing

@testable import CaptureProtocol

@Suite("Times as RFC 3339")
struct TimestampTests {
    @Test(
        "what is read is written back as the same moment, to the millisecond",
        arguments: [
            ("2026-11-21T07:00:00Z", "2026-11-21T07:00:00.000Z"), ("2026-11-21T09:30:00.25+02:30", "2026-11-21T07:00:00.250Z"),
            ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"), ("2024-02-29t12:00:00z", "2024-02-29T12:00:00.000Z"),
            ("1500-02-28T12:00:00Z", "1500-02-28T12:00:00.000Z"), ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"), ("2026-12-31T23:59:60Z", "2027-01-01T00:00:00.000Z"),
        ])
    func roundTrip(text: String, written: String) throws {
        #expect(Timestamp.format(try #require(Timestamp.parse(text))) == written)
    }

    @Test(
        "what is no time of the years 1 to 9999 is refused",
        arguments: [
            "", "2026-11-21", "2026-11-21T07:00:00", "2026-13-01T00:00:00Z", "2025-02-29T00:00:00Z", "2026-11-21T24:00:00Z",
            "2026-11-21T07:00:00.Z", "2026-11-21T07:00:00+24:00", "0000-12-31T00:00:00Z", "0001-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59-01:00", "2026-11-21T07:00:00Zx", "２０２６-11-21T07:00:00Z",
        ])
    func refused(text: String) { #expect(Timestamp.parse(text) == nil) }

    @Test("whatever number a date is, it is written", arguments: [Double.nan, -.nan, .infinity, -.infinity, 1e300])
    func anyNumber(seconds: Double) { #expect(Timestamp.format(Date(timeIntervalSince1970: seconds)).utf8.count == 24) }

    @Test("every day of four centuries survives formatting and parsing")
    func days() {
        for day in stride(from: -300_000, through: 300_000, by: 7) {
            let (year, month, ofMonth) = Timestamp.civil(daysSince1970: day)
            #expect(Timestamp.daysFromCivil(year: year, month: month, day: ofMonth) == day)
        }
    }

    @Test("times outside the supported years are clamped")
    func extremes() {
        #expect(Timestamp.format(.distantFuture.addingTimeInterval(1e15)) == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp.format(Date(timeIntervalSince1970: -1e15)) == "0000-01-01T00:00:00.000Z")
    }
}

@Suite("Days")
struct DayTests {
    @Test("are read and written in UTC", arguments: ["1970-01-01", "2026-11-21", "2024-02-29", "0001-01-01", "9999-12-31", "1969-12-31"])
    func roundTrip(text: String) { #expect(Timestamp.parseDay(text).map(Timestamp.formatDay) == text) }

    @Test("have one form", arguments: ["2026-11-21T00:00:00Z", "2026-11-31", "2026-1-21", "", "2026-11-21 ", "21.11.2026", "0000-01-01"])
    func malformed(text: String) { #expect(Timestamp.parseDay(text) == nil) }

    @Test("end with their last millisecond, also before 1970", arguments: [(1_795_305_599.9999, "2026-11-21"), (-0.0001, "1969-12-31")])
    func end(seconds: Double, day: String) { #expect(Timestamp.formatDay(Date(timeIntervalSince1970: seconds)) == day) }

    @Test("shared times are written as they are shared, and read again", arguments: TimePrecision.allCases)
    func shared(precision: TimePrecision) throws {
        let time = SharedTime(Date(timeIntervalSince1970: 1_795_244_400.25), precision)
        #expect(time.precision == precision)
        #expect(time.text == [.exact: "2026-11-21T07:00:00.250Z", .day: "2026-11-21"][precision])
        #expect(try WireJSON.decode([SharedTime].self, from: WireJSON.encode([time])) == [time])
        #expect(SharedTime(column: time.date, precision: precision) == time)
    }
}
