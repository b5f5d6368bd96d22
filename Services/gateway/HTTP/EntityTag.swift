import Foundation

/// `If-None-Match` (RFC 9110 §13.1.2), weak comparison.
enum EntityTag {
    static func matches(_ field: String?, _ tag: String) -> Bool {
        guard let field else { return false }
        return field.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            .contains { $0 == "*" || $0 == tag || $0 == "W/" + tag }
    }
}
