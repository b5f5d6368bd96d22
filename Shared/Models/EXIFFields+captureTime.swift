import CaptureProtocol
public import Foundation

extension EXIFFields {
    /// DateTimeOriginal, "2026:11:21 07:00:00", with its offset and fraction (CIPA DC-008 §4.6.5); `nil` if the time or its offset is
    /// missing or malformed.
    public var captureTime: Date? {
        guard let text = dateTimeOriginal, let offset = offsetTimeOriginal else { return nil }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let day = parts[0].replacing(":", with: "-")
        let digits = (subSecTimeOriginal ?? "").utf8.prefix { (0x30...0x39).contains($0) }.prefix(9)
        let fraction = digits.isEmpty ? "" : "." + String(decoding: Array(digits), as: UTF8.self)
        return Timestamp.parse("\(day)T\(parts[1])\(fraction)\(offset)")
    }
}
