import CaptureProtocol
import Foundation
import Models

/// The texts of the card, in the words of the site. There is one card for all readers, in English.
enum CardText {
    static let note = "Evidence, not proof of truth"
    static let band = "Development attestation. Do not use as evidence."
    static let testRecord = "test record"
    static let captured = "Captured"
    static let unsigned = "Time and place not signed"
    static let unsignedTime = "Time not signed"
    static let unsignedPlace = "Place not signed"
    static let noPlace = "Location not provided"
    static let falsePlace = "Not a place on Earth"
    static let hashVerified = "Hash Verified"
    static let hashRecorded = "Hash recorded"
    static let mark = "rial"
    /// Longer names are truncated.
    static let maximumCharacters = 120

    /// The emphasised word of a badge and the text after it.
    static func badge(_ level: ConfidenceLevel) -> (word: String, rest: String) {
        switch level {
        case .high: ("HIGH", " confidence")
        case .medium: ("MEDIUM", " confidence")
        case .low: ("LOW", " confidence")
        case .suspicious: ("SUSPICIOUS", ": a check failed")
        }
    }

    /// Above the digest of a hash-only capture, which is verified only if a device's attestation vouches for it and no check failed. One
    /// signature covers all of such a capture (SPEC §9), so it covers time and place or there is none.
    static func hashTitle(_ content: ShareCardContent) -> String {
        content.isSigned && content.level != .suspicious ? hashVerified : hashRecorded
    }

    /// Where there is no name of a place.
    static func missingPlace(_ content: ShareCardContent) -> String { content.hasFalsePlace ? falsePlace : noPlace }

    /// "22 November 2025" and, if it is shared exactly, "10:30 UTC"; none for times outside the years 1 to 9999.
    static func time(_ shared: SharedTime) -> [String] {
        guard let date = shared.date, let (day, time) = time(date) else { return [] }
        return shared.precision == .exact ? [day, time] : [day]
    }

    private static func time(_ date: Date) -> (day: String, time: String)? {
        guard (-62_135_596_800..<253_402_300_800).contains(date.timeIntervalSince1970) else { return nil }
        // "2025-11-22T10:30:04.000Z", never rounded up into the next minute, as on the page.
        let second = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
        let fields = Timestamp.format(second).split { "-T:.Z".contains($0) }
        guard fields.count >= 5, let year = Int(fields[0]), let month = Int(fields[1]), let day = Int(fields[2]),
            months.indices.contains(month - 1)
        else { return nil }
        return ("\(day) \(months[month - 1]) \(year)", "\(fields[3]):\(fields[4]) UTC")
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
    ]

    /// On one line, without control, bidi and other invisible characters, at most 120 characters long; `nil` if nothing is left.
    static func cleaned(_ text: String) -> String? {
        var scalars = String.UnicodeScalarView()
        var marks = 0
        for scalar in text.unicodeScalars.prefix(maximumCharacters * 4) {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator:
                if scalars.last != " " { scalars.append(" ") }
                marks = 0
            // Joiners shape letters of Persian and Indian scripts; no other invisible characters are kept.
            case .format where scalar.value == 0x200C || scalar.value == 0x200D: scalars.append(scalar)
            case .format, .surrogate, .privateUse, .unassigned: break
            case .nonspacingMark, .enclosingMark:
                // No script stacks more; longer stacks would run out of the line.
                marks += 1
                if marks <= 3 { scalars.append(scalar) }
            default:
                scalars.append(scalar)
                marks = 0
            }
        }
        let cut = String(String(scalars).prefix(maximumCharacters)).trimmingCharacters(in: .whitespaces)
        return cut.isEmpty ? nil : cut
    }
}
