import CaptureProtocol
import Foundation

/// The entity tag of what is asked for, and conditions on it (RFC 9110 §8.8.3, §13.1).
enum EntityTag {
    /// The strong tag of the content with this digest.
    /// - Parameter length: how many of its hexadecimal digits count.
    static func of(_ digest: ContentDigest, length: Int = 64) -> String { "\"\(digest.hex.prefix(length))\"" }

    /// `If-None-Match` (§13.1.2), weak comparison.
    static func matches(_ field: String?, _ tag: String) -> Bool {
        guard let field else { return false }
        return field.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            .contains { $0 == "*" || $0 == tag || $0 == "W/" + tag }
    }

    /// Whether a range may be sent: `If-Range` (§13.1.5) is absent or names exactly this tag. A date matches nothing, as nothing here has
    /// one.
    static func allowsRange(_ field: String?, _ tag: String) -> Bool {
        guard let field else { return true }
        return field.trimmingCharacters(in: .whitespaces) == tag
    }
}
