import CaptureProtocol
package import Foundation

/// A time as EXIF writes it (CIPA DC-008 §4.6.5, tags 0x9003, 0x9011 and 0x9291), on the camera's clock.
package struct EXIFTime: Sendable, Equatable {
    /// "2026:11:21 07:00:00"; years are clamped to 0 to 9999.
    package let dateTime: String
    /// "+01:00".
    package let offset: String
    /// Three digits: milliseconds.
    package let subSeconds: String

    /// - Parameter secondsFromUTC: offset of the camera's clock, cut to minutes, less than a day.
    package init(_ date: Date, secondsFromUTC: Int) {
        let minutes = min(max(secondsFromUTC / 60, -1439), 1439)
        // "2026-11-21T07:00:00.257Z"
        let text = Array(Timestamp.format(date.addingTimeInterval(Double(minutes * 60))).utf8)
        let day = text.prefix(10).map { $0 == UInt8(ascii: "-") ? UInt8(ascii: ":") : $0 }
        dateTime = String(decoding: day + [UInt8(ascii: " ")] + text.dropFirst(11).prefix(8), as: UTF8.self)
        subSeconds = String(decoding: text.dropFirst(20).prefix(3), as: UTF8.self)
        offset = String(format: "%@%02d:%02d", minutes < 0 ? "-" : "+", abs(minutes) / 60, abs(minutes) % 60)
    }
}
