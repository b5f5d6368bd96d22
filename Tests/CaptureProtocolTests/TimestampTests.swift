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
