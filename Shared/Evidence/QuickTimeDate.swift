import CaptureProtocol
import Foundation

/// Reads `com.apple.quicktime.creationdate`: RFC 3339, or its offset without the colon, "2026-11-22T10:00:00+0100", as Apple writes it.
enum QuickTimeDate {
    /// - Returns: `nil` for a time without its offset, and for anything else.
    static func parse(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard bytes.count <= 40 else { return nil }
        guard bytes.count > 5, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[bytes.count - 5]) else { return Timestamp.parse(text) }
        return Timestamp.parse(String(decoding: bytes.dropLast(2) + [UInt8(ascii: ":")] + bytes.suffix(2), as: UTF8.self))
    }
}
