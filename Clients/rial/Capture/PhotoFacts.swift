import CaptureProtocol
import Foundation
import Imaging
import Models

/// What a photo's own EXIF says of it.
struct PhotoFacts {
    /// EXIF comes first in the file.
    private static let prefixBytes = 256 * 1024

    let model: String?
    /// `nil` also where the time has no offset from UTC.
    let capturedAt: Date?

    /// - Throws: ``CommandFailure`` if the file cannot be read or is no JPEG.
    init(url: URL) throws {
        guard let handle = try? FileHandle(forReadingFrom: url), let data = try? handle.read(upToCount: Self.prefixBytes) else {
            throw CommandFailure("The photo \(url.path) cannot be read.")
        }
        guard data.starts(with: [0xFF, 0xD8]) else { throw CommandFailure("The photo \(url.path) is not a JPEG.") }
        let fields = EXIFReader.read(jpeg: Array(data))
        model = fields?.model
        capturedAt = fields.flatMap(Self.time)
    }

    /// DateTimeOriginal, "2026:11:21 07:00:00", with its offset and fraction (CIPA DC-008 §4.6.5).
    private static func time(of fields: EXIFFields) -> Date? {
        guard let text = fields.dateTimeOriginal, let offset = fields.offsetTimeOriginal else { return nil }
        let parts = text.split(separator: " ")
        guard parts.count == 2 else { return nil }
        let fraction = (fields.subSecTimeOriginal ?? "").prefix { $0.isASCII && $0.isNumber }.prefix(9)
        let seconds = fraction.isEmpty ? parts[1] : parts[1] + "." + fraction
        return Timestamp.parse("\(parts[0].replacing(":", with: "-"))T\(seconds)\(offset)")
    }
}
