import CaptureProtocol
import Foundation
import Models
import Testing

@testable import Evidence

@Suite("Timestamp check")
struct TimestampCheckTests {
    /// 2026-11-21 06:00:00 UTC.
    static let receipt = Date(timeIntervalSince1970: 1_795_240_800)

    /// The EXIF of a photo taken this many milliseconds before receipt, with a UTC offset of one hour.
    static func exif(millisecondsBeforeReceipt milliseconds: Int) -> EXIFFields {
        let time = 1_795_240_800_000 - milliseconds + 3_600_000
        let text = Timestamp.format(Date(timeIntervalSince1970: (Double(time) / 1000).rounded(.down)))
        var fields = EXIFFields()
        fields.dateTimeOriginal = text.prefix(10).replacing("-", with: ":") + " " + text.dropFirst(11).prefix(8)
        fields.offsetTimeOriginal = "+01:00"
        fields.subSecTimeOriginal = String(String(1000 + (time % 1000 + 1000) % 1000).dropFirst())
        return fields
    }

    @Test(
        "goes by the time before receipt",
        arguments: [
            (0, .pass, nil), (1, .pass, nil), (900_000, .pass, nil), (900_001, .unavailable, .uploadedLate),
            (901_000, .unavailable, .uploadedLate), (30 * 86_400_000, .unavailable, .uploadedLate),
            (30 * 86_400_000 + 1, .unavailable, .uploadedVeryLate), (9000 * 86_400_000, .unavailable, .uploadedVeryLate),
            (-1, .pass, nil), (-120_000, .pass, nil), (-120_001, .fail, .afterReceipt), (-86_400_000, .fail, .afterReceipt),
        ] as [(Int, CheckStatus, TimestampReason?)])
    func age(milliseconds: Int, status: CheckStatus, reason: TimestampReason?) {
        let captured = Self.receipt.addingTimeInterval(-Double(milliseconds) / 1000)
        let check = TimestampCheck.result(
            Self.exif(millisecondsBeforeReceipt: milliseconds), capturedAt: captured, receivedAt: Self.receipt)
        #expect(check == MetadataCheck(status, reason: reason))
    }

    @Test(
        "compares with the time the upload claims, also where the upload is late",
        arguments: [
            (900_000, 900_000, true), (900_001, 900_001, false), (0, 120_000, true), (0, -900_000, true), (0, -900_001, false),
            (86_400_000, 900_000, true), (86_400_000, 900_001, false), (86_400_000, -900_001, false),
        ])
    func claimed(milliseconds: Int, difference: Int, isClose: Bool) {
        let captured = Self.receipt.addingTimeInterval(Double(difference - milliseconds) / 1000)
        let check = TimestampCheck.result(
            Self.exif(millisecondsBeforeReceipt: milliseconds), capturedAt: captured, receivedAt: Self.receipt)
        #expect((check == MetadataCheck(.fail, reason: .differsFromCapturedAt)) == !isClose)
        #expect((check.status == .fail) == !isClose)
    }

    @Test("reports a photo from the future before anything else")
    func order() {
        let check = TimestampCheck.result(
            Self.exif(millisecondsBeforeReceipt: -121_000), capturedAt: .distantPast, receivedAt: Self.receipt)
        #expect(check.reason?.known == .afterReceipt)
    }

    @Test(
        "cannot tell without a readable time and offset",
        arguments: [
            (nil, "+01:00", .noEXIFTime), ("2026:11:21 07:00:00", nil, .noUTCOffset), (nil, nil, .noEXIFTime),
            ("2026:13:21 07:00:00", "+01:00", .unreadableEXIFTime), ("2026:11:21T07:00:00", "+01:00", .unreadableEXIFTime),
            ("2026:11:21", "+01:00", .unreadableEXIFTime), ("    :  :     :  :", "+01:00", .unreadableEXIFTime),
            ("2026:11:21 07:00:00", "   :", .unreadableEXIFTime), ("2026:11:21 07:00:00", "01:00", .unreadableEXIFTime),
            ("2026:11:21 07:00:00", "+25:00", .unreadableEXIFTime), ("2026:11:21 07:00:00 ", "+01:00", .unreadableEXIFTime),
        ] as [(String?, String?, TimestampReason)])
    func unreadable(time: String?, offset: String?, reason: TimestampReason) {
        var fields = EXIFFields()
        fields.dateTimeOriginal = time
        fields.offsetTimeOriginal = offset
        let check = TimestampCheck.result(fields, capturedAt: .distantPast, receivedAt: Self.receipt)
        #expect(check == MetadataCheck(.unavailable, reason: reason))
    }

    @Test(
        "fails a capture that is said to be later than its receipt, whatever the photo says",
        arguments: [(120_000, false), (120_001, true), (86_400_000, true), (130_000_000_000, true)])
    func claimedAfterReceipt(milliseconds: Int, fails: Bool) {
        let captured = Self.receipt.addingTimeInterval(Double(milliseconds) / 1000)
        for exif in [nil, EXIFFields(), Self.exif(millisecondsBeforeReceipt: 1000)] {
            let check = TimestampCheck.result(exif, capturedAt: captured, receivedAt: Self.receipt)
            #expect((check == MetadataCheck(.fail, reason: .afterReceipt)) == fails)
            #expect((check.status == .fail) == fails)
        }
    }

    @Test("cannot tell without EXIF")
    func noEXIF() {
        let check = TimestampCheck.result(nil, capturedAt: Self.receipt, receivedAt: Self.receipt)
        #expect(check == MetadataCheck(.unavailable, reason: .noEXIFTime))
    }

    @Test(
        "reads offsets and fractions of a second",
        arguments: [
            ("+01:00", "5", 0.5), ("+01:00", nil, 0), ("+01:00", "257", 0.257), ("+01:00", "257999999999999999", 0.257999999),
            ("+01:00", "x", 0), ("+01:00", "", 0), ("+01:00", "25x", 0.25), ("Z", nil, 3600), ("-09:30", nil, 37_800),
        ] as [(String, String?, Double)])
    func captureTime(offset: String, fraction: String?, seconds: Double) throws {
        var fields = EXIFFields()
        fields.dateTimeOriginal = "2026:11:21 07:00:00"
        fields.offsetTimeOriginal = offset
        fields.subSecTimeOriginal = fraction
        #expect(abs(try #require(fields.captureTime).timeIntervalSince(Self.receipt) - seconds) < 1e-6)
    }
}
