import Foundation
import Imaging
import Models

/// The metadata checks of SPEC §3, from the photo's EXIF and what the upload says. Only contradictions fail.
enum MetadataChecks {
    static let lateness: TimeInterval = 15 * 60
    static let clockTolerance: TimeInterval = 2 * 60
    static let veryLate: TimeInterval = 30 * 86_400

    /// EXIF DateTimeOriginal against the receipt and `captured_at`, in the specified order.
    static func timestamp(_ exif: EXIFFields?, capturedAt: Date, receivedAt: Date) -> MetadataCheck {
        guard exif?.dateTimeOriginal != nil else { return MetadataCheck(.unavailable, reason: "no_exif_time") }
        guard exif?.offsetTimeOriginal != nil else { return MetadataCheck(.unavailable, reason: "no_utc_offset") }
        guard let time = exif?.captureTime else { return MetadataCheck(.unavailable, reason: "unreadable_exif_time") }
        let age = receivedAt.timeIntervalSince(time)
        if age < -clockTolerance { return MetadataCheck(.fail, reason: "after_receipt") }
        if abs(time.timeIntervalSince(capturedAt)) > lateness { return MetadataCheck(.fail, reason: "differs_from_captured_at") }
        if age <= lateness { return MetadataCheck(.pass) }
        return MetadataCheck(.unavailable, reason: age > veryLate ? "uploaded_very_late" : "uploaded_late")
    }

    /// EXIF Model and the upload's `device_model`, each that is present, against the table and the registered model.
    static func model(exif: String?, claimed: String, registered: String) -> MetadataCheck {
        let given = [exif, claimed].compactMap { $0 }.filter { $0 != "iPhone" }
        if given.contains(where: { IPhoneModel.find($0).map { !$0.isSupported } ?? false }) {
            return MetadataCheck(.fail, reason: "model_without_lidar")
        }
        if registered != "iPhone", given.contains(where: { canonical($0) != canonical(registered) }) {
            return MetadataCheck(.fail, reason: "differs_from_registered")
        }
        guard !given.isEmpty, given.allSatisfy({ IPhoneModel.find($0) != nil }) else {
            return MetadataCheck(.unavailable, reason: "model_unknown")
        }
        return MetadataCheck(.pass)
    }

    /// The photo's size against those of the model, in either orientation.
    static func resolution(_ exif: EXIFFields?, claimed: String) -> MetadataCheck {
        guard let width = exif?.pixelWidth, let height = exif?.pixelHeight else {
            return MetadataCheck(.unavailable, reason: "size_unknown")
        }
        guard let model = IPhoneModel.find(claimed) ?? exif?.model.flatMap(IPhoneModel.find) else {
            return MetadataCheck(.unavailable, reason: "model_unknown")
        }
        let isKnown = model.photoSizes.contains(PhotoSize(width, height))
        return isKnown ? MetadataCheck(.pass) : MetadataCheck(.unavailable, reason: "size_not_in_table")
    }

    static func location(_ location: PreciseLocation?) -> MetadataCheck {
        guard let location else { return MetadataCheck(.unavailable, reason: "not_provided") }
        return isOnEarth(location) ? MetadataCheck(.pass) : MetadataCheck(.fail, reason: "not_on_earth")
    }

    static func isOnEarth(_ location: PreciseLocation) -> Bool {
        (-90...90).contains(location.latitude) && (-180...180).contains(location.longitude)
    }

    /// A model's name and identifier are the same model.
    private static func canonical(_ text: String) -> String { IPhoneModel.find(text)?.name ?? text }
}

extension EXIFFields {
    /// DateTimeOriginal with its offset and fraction; `nil` if one of the first two is missing or malformed.
    var captureTime: Date? {
        guard let text = dateTimeOriginal, let offset = offsetTimeOriginal else { return nil }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let day = parts[0].replacing(":", with: "-")
        let digits = (subSecTimeOriginal ?? "").prefix { $0.isASCII && $0.isNumber }.prefix(9)
        let fraction = digits.isEmpty ? "" : ".\(digits)"
        return Timestamp.parse("\(day)T\(parts[1])\(fraction)\(offset)")
    }
}
