import CaptureProtocol
import Foundation
import Models

/// The metadata checks of SPEC §3, from the photo's EXIF and what the upload says. Only contradictions fail.
enum MetadataChecks {
    static let lateness: TimeInterval = 15 * 60
    static let clockTolerance: TimeInterval = 2 * 60
    static let veryLate: TimeInterval = 30 * 86_400

    /// EXIF DateTimeOriginal and `captured_at` against the receipt and each other, in the specified order. A clock that is up to
    /// ``clockTolerance`` ahead counts as in time.
    static func timestamp(_ exif: EXIFFields?, capturedAt: Date, receivedAt: Date) -> MetadataCheck<TimestampReason> {
        // Receipt bounds what the upload says, whatever the photo says.
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

    /// EXIF Model and the upload's `device_model`, each that is present, against the table and the registered model.
    /// What contradicts outweighs what is unknown, and that what passes.
    static func model(exif: String?, claimed: String, registered: String) -> MetadataCheck<ModelReason> {
        let given = [exif, claimed].compactMap { $0 }.filter { !$0.isEmpty }
        if given.contains(where: { IPhoneModels.find($0)?.isSupported == false }) {
            return MetadataCheck(.fail, reason: .modelWithoutLiDAR)
        }
        if given.contains(where: { IPhoneModels.contradict($0, registered) }) {
            return MetadataCheck(.fail, reason: .differsFromRegistered)
        }
        guard !given.isEmpty, given.allSatisfy({ IPhoneModels.find($0) != nil }) else {
            return MetadataCheck(.unavailable, reason: .modelUnknown)
        }
        return MetadataCheck(.pass)
    }

    /// The photo's size against those of the model, in either orientation. Never `fail`: cropping is no lie.
    static func resolution(_ exif: EXIFFields?, claimed: String) -> MetadataCheck<ResolutionReason> {
        guard let width = exif?.pixelWidth, let height = exif?.pixelHeight else {
            return MetadataCheck(.unavailable, reason: .sizeUnknown)
        }
        guard let model = exif?.model.flatMap(IPhoneModels.find) ?? IPhoneModels.find(claimed) else {
            return MetadataCheck(.unavailable, reason: .modelUnknown)
        }
        let isKnown = model.photoSizes.contains(PhotoSize(width, height))
        return isKnown ? MetadataCheck(.pass) : MetadataCheck(.unavailable, reason: .sizeNotInTable)
    }

    static func location(_ location: PreciseLocation?) -> MetadataCheck<LocationReason> {
        guard let location else { return MetadataCheck(.unavailable, reason: .notProvided) }
        return isOnEarth(location) ? MetadataCheck(.pass) : MetadataCheck(.fail, reason: .notOnEarth)
    }

    /// False also for what is not finite.
    static func isOnEarth(_ location: PreciseLocation) -> Bool {
        (-90...90).contains(location.latitude) && (-180...180).contains(location.longitude)
    }

    /// Seconds, to the millisecond: finer than any clock involved, coarser than what `Date` loses.
    private static func seconds(from start: Date, to end: Date) -> TimeInterval {
        (end.timeIntervalSince(start) * 1000).rounded() / 1000
    }
}
