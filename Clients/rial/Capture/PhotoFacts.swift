import Foundation
import JPEGMetadata
import Models

/// Model and time from a photo's EXIF.
struct PhotoFacts {
    let model: String?
    /// `nil` also if the time has no offset from UTC.
    let capturedAt: Date?

    /// - Throws: ``CommandFailure`` if the file cannot be read or is not a JPEG.
    init(url: URL) throws {
        guard let handle = try? FileHandle(forReadingFrom: url), let data = try? handle.read(upToCount: EXIFReader.headBytes) else {
            throw CommandFailure("The photo \(url.path) cannot be read.")
        }
        guard data.starts(with: [0xFF, 0xD8]) else { throw CommandFailure("The photo \(url.path) is not a JPEG.") }
        let fields = EXIFReader.read(jpeg: Array(data))
        model = fields?.model
        capturedAt = fields?.captureTime
    }
}
