import CaptureProtocol
import Foundation
import Models

/// Compares the time in the photo's EXIF and the upload's `captured_at` with the time of receipt and each other (SPEC §3).
enum TimestampCheck {
    /// Up to this age at receipt a photo counts as fresh, and its two times may differ by as much.
    static let lateness: TimeInterval = 15 * 60
    /// The clock skew that is tolerated: a time that is up to this much in the future is accepted.
    static let clockTolerance: TimeInterval = 2 * 60
    static let veryLate: TimeInterval = 30 * 86_400

    /// - Returns: `fail` only where the times contradict each other; the checks run in the order that SPEC §3 gives.
    static func result(_ exif: EXIFFields?, capturedAt: Date, receivedAt: Date) -> MetadataCheck<TimestampReason> {
        // An upload cannot have been captured after its receipt, whatever its EXIF says.
        if seconds(from: capturedAt, to: receivedAt) < -clockTolerance { return MetadataCheck(.fail, reason: .afterReceipt) }
        guard exif?.dateTimeOriginal != nil else { return MetadataCheck(.unavailable, reason: .noEXIFTime) }
        guard exif?.offsetTimeOriginal != nil else { return MetadataCheck(.unavailable, reason: .noUTCOffset) }
        guard let time = exif?.captureTime else { return MetadataCheck(.unavailable, reason: .unreadableEXIFTime) }
        let age = seconds(from: time, to: receivedAt)
        if age < -clockTolerance { return MetadataCheck(.fail, reason: .afterReceipt) }
        if abs(seconds(from: time, to: capturedAt)) > lateness {
            return MetadataCheck(.fail, reason: .differsFromCapturedAt)
        }
        if age <= lateness { return MetadataCheck(.pass) }
        return MetadataCheck(.unavailable, reason: age > veryLate ? .uploadedVeryLate : .uploadedLate)
    }

    /// The time that a hash-only capture signs takes the place of EXIF (SPEC §9).
    static func result(signed time: SharedTime, receivedAt: Date) -> MetadataCheck<TimestampReason> {
        guard let begin = time.date else { return MetadataCheck(.unavailable, reason: .notShared) }
        let age = seconds(from: begin, to: receivedAt)
        if age < -clockTolerance { return MetadataCheck(.fail, reason: .afterReceipt) }
        guard time.precision == .exact else { return MetadataCheck(.unavailable, reason: .dayOnly) }
        if age <= lateness { return MetadataCheck(.pass) }
        return MetadataCheck(.unavailable, reason: age > veryLate ? .uploadedVeryLate : .uploadedLate)
    }

    /// The check for a video (SPEC §10.4). The times of file and recording are those of its beginning, but its end must be fresh. A file
    /// that gives a time that cannot be read is not asked for another.
    static func result(_ file: MovieFacts, startedAt: Date, receivedAt: Date) -> MetadataCheck<TimestampReason> {
        let duration = Double(file.durationMilliseconds) / 1000
        let claimedEnd = startedAt.addingTimeInterval(duration)
        if seconds(from: claimedEnd, to: receivedAt) < -clockTolerance { return MetadataCheck(.fail, reason: .afterReceipt) }
        let begin: Date
        if let text = file.creationDate {
            guard let time = QuickTimeDate.parse(text) else {
                let isLocal = QuickTimeDate.parse(text + "Z") != nil
                return MetadataCheck(.unavailable, reason: isLocal ? .noUTCOffset : .unreadableEXIFTime)
            }
            begin = time
        } else {
            guard let time = file.createdAt else { return MetadataCheck(.unavailable, reason: .noEXIFTime) }
            begin = time
        }
        let age = seconds(from: begin.addingTimeInterval(duration), to: receivedAt)
        if age < -clockTolerance { return MetadataCheck(.fail, reason: .afterReceipt) }
        if abs(seconds(from: begin, to: startedAt)) > lateness { return MetadataCheck(.fail, reason: .differsFromCapturedAt) }
        if age <= lateness { return MetadataCheck(.pass) }
        return MetadataCheck(.unavailable, reason: age > veryLate ? .uploadedVeryLate : .uploadedLate)
    }

    /// Rounded to the millisecond: finer than the resolution of the clocks, coarser than the rounding error of `Date`.
    private static func seconds(from start: Date, to end: Date) -> TimeInterval {
        (end.timeIntervalSince(start) * 1000).rounded() / 1000
    }
}
