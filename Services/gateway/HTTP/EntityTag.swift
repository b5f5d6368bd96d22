import Foundation

/// Conditions on the entity tag of what is asked for (RFC 9110 §13.1).
enum EntityTag {
    /// `If-None-Match` (§13.1.2), weak comparison.
    static func matches(_ field: String?, _ tag: String) -> Bool {
        guard let field else { return false }
        return field.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            .contains { $0 == "*" || $0 == tag || $0 == "W/" + tag }
    }

    /// Whether a range may be sent: `If-Range` (§13.1.5) is absent or names exactly this tag. A date matches nothing, as nothing here has one.
    static func allowsRange(_ field: String?, _ tag: String) -> Bool {
        guard let field else { return true }
        return field.trimmingCharacters(in: .whitespaces) == tag
    }
}
