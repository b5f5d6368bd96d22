import CaptureProtocol
import Foundation
import Models
import Testing

@testable import Evidence

@Suite("Checks of videos")
struct VideoChecksTests {
    private static let receipt = TimestampCheckTests.receipt

    private func file(creationDate: String? = nil, createdAt: Date? = nil, width: Int = 1920, height: Int = 1080) -> MovieFacts {
        MovieFacts(
            durationMilliseconds: 10_000, frameCount: 300, codec: "h264", width: width, height: height, rotation: 0, hasAudio: false,
            creationDate: creationDate, createdAt: createdAt)
    }

    /// The recording lasts 10 s.
    @Test(
        "goes by the time between the end of the recording and receipt, whichever time the file gives",
        arguments: [
            (10, .pass, nil), (910, .pass, nil), (911, .unavailable, .uploadedLate), (30 * 86_400 + 10, .unavailable, .uploadedLate),
            (30 * 86_400 + 11, .unavailable, .uploadedVeryLate), (-110, .pass, nil), (-111, .fail, .afterReceipt),
        ] as [(Int, CheckStatus, TimestampReason?)])
    func age(seconds: Int, status: CheckStatus, reason: TimestampReason?) {
        let begin = Self.receipt.addingTimeInterval(-Double(seconds))
        for file in [file(creationDate: Timestamp.format(begin)), file(createdAt: begin)] {
            #expect(TimestampCheck.result(file, startedAt: begin, receivedAt: Self.receipt) == MetadataCheck(status, reason: reason))
        }
    }

    @Test(
        "fails where file and recording differ by more than a quarter of an hour",
        arguments: [(900, true), (901, false), (-900, true), (-901, false)])
    func claimed(difference: Int, isClose: Bool) {
        let begin = Self.receipt.addingTimeInterval(-86_400)
        let check = TimestampCheck.result(
            file(createdAt: begin), startedAt: begin.addingTimeInterval(Double(difference)), receivedAt: Self.receipt)
        #expect(
            check == (isClose ? MetadataCheck(.unavailable, reason: .uploadedLate) : MetadataCheck(.fail, reason: .differsFromCapturedAt)))
    }

    @Test("fails where only one of the two lies after receipt")
    func future() {
        let (before, after) = (Self.receipt.addingTimeInterval(-60), Self.receipt.addingTimeInterval(200))
        for (begin, started) in [(before, after), (after, before)] {
            let check = TimestampCheck.result(file(createdAt: begin), startedAt: started, receivedAt: Self.receipt)
            #expect(check == MetadataCheck(.fail, reason: .afterReceipt))
        }
    }

    @Test(
        "reads the date as Apple writes it, and asks for no other where it cannot be read",
        arguments: [
            ("2026-11-21T06:59:30+0100", .pass, nil), ("2026-11-21T06:59:30+01:00", .pass, nil), ("2026-11-21T05:59:30Z", .pass, nil),
            ("2026-11-21T00:29:30-0530", .pass, nil), ("2026-11-21T05:59:30", .unavailable, .noUTCOffset),
            ("2026-11-21", .unavailable, .unreadableEXIFTime), ("", .unavailable, .unreadableEXIFTime),
            ("2026-11-21T06:59:30+2500", .unavailable, .unreadableEXIFTime),
            ("2026-11-21T06:59:30+01:000", .unavailable, .unreadableEXIFTime), ("+0100", .unavailable, .unreadableEXIFTime),
        ] as [(String, CheckStatus, TimestampReason?)])
    func dates(text: String, status: CheckStatus, reason: TimestampReason?) {
        let begin = Self.receipt.addingTimeInterval(-30)
        let check = TimestampCheck.result(file(creationDate: text, createdAt: begin), startedAt: begin, receivedAt: Self.receipt)
        #expect(check == MetadataCheck(status, reason: reason))
    }

    @Test("says so where the file gives no time")
    func noTime() {
        let check = TimestampCheck.result(file(), startedAt: Self.receipt.addingTimeInterval(-30), receivedAt: Self.receipt)
        #expect(check == MetadataCheck(.unavailable, reason: .noEXIFTime))
    }

    @Test("passes the sizes that these devices record, in either orientation, and fails none")
    func sizes() {
        for (width, height) in [(1280, 720), (1920, 1080), (1920, 1440), (3840, 2160)] {
            #expect(ResolutionCheck.result(file(width: width, height: height)) == MetadataCheck(.pass))
            #expect(ResolutionCheck.result(file(width: height, height: width)) == MetadataCheck(.pass))
        }
        for (width, height) in [(1921, 1080), (720, 720), (4032, 3024), (1, 1)] {
            let check = ResolutionCheck.result(file(width: width, height: height))
            #expect(check == MetadataCheck(.unavailable, reason: .sizeNotInTable))
        }
    }

    /// All 16 384 combinations of seven checks, against an independent formulation of the rule.
    @Test("any failure is suspicious, three passes are high, and hardware or depth is medium")
    func confidence() {
        for number in 0..<16_384 {
            let all = (0..<7).map { RuleTests.statuses[number >> (2 * $0) & 3] }
            let level = ConfidenceRule.confidence(hardware: all[0], hashChain: all[1], depth: all[2], metadata: Array(all[3...]))
            let passes = all[..<3].map { $0 == .pass }
            let expected: ConfidenceLevel =
                all.contains(.fail) ? .suspicious : passes.allSatisfy(\.self) ? .high : passes[0] || passes[2] ? .medium : .low
            #expect(level == expected)
        }
    }

    @Test(
        "derives the depth status from verdict, hardware and binding, and never fails it",
        arguments: [
            (.real, .pass, .videoDepthMetadata, .pass, nil), (.real, .pass, .checkpoint, .inconclusive, .partlySigned),
            (.real, .unavailable, nil, .pass, nil), (.real, .inconclusive, nil, .pass, nil),
            (.real, .fail, nil, .inconclusive, .depthNotSigned), (.flat, .pass, .videoDepthMetadata, .inconclusive, .flatSurface),
            (.flat, .pass, .checkpoint, .inconclusive, .flatSurface), (.undecided, .unavailable, nil, .inconclusive, .undecided),
            (.undecided, .pass, .checkpoint, .inconclusive, .undecided),
        ] as [(DepthVerdict, CheckStatus, AssertionBinding?, CheckStatus, DepthReason?)])
    func depth(verdict: DepthVerdict, hardware: CheckStatus, binding: AssertionBinding?, status: CheckStatus, reason: DepthReason?) {
        let found = DepthStatusRule.videoStatus(verdict: verdict, hardware: hardware, binding: binding, hasLiDAR: true)
        #expect(found.status == status && found.reason == reason)
        let without = DepthStatusRule.videoStatus(verdict: verdict, hardware: hardware, binding: binding, hasLiDAR: false)
        #expect(without.status == .inconclusive && without.reason == .noLiDAR)
    }
}
