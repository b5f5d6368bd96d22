/// Untrusted text, such as the name of a model, a place or an issuer.
///
/// Control and format characters (Unicode Cc, Cf, Zl, Zp) are removed, including all that change the direction of text.
struct UntrustedText: Sendable, Equatable {
    static let limit = 120
    /// The maximum length of ``whole``, in Unicode scalars.
    static let wholeLimit = 2000

    /// At most ``limit`` Unicode scalars, never empty.
    let shown: String
    /// The uncut text, only if ``shown`` is cut.
    let whole: String?

    /// `nil` if nothing is left to show.
    init?(_ text: String?) {
        guard let text else { return nil }
        let clean = Self.clean(text)
        guard !clean.isEmpty else { return nil }
        shown = Self.cut(clean, to: Self.limit)
        whole = shown == clean ? nil : Self.cut(clean, to: Self.wholeLimit)
    }

    /// For use inside a sentence: between FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE (Unicode UAX #9 §2.4).
    var isolated: String { "\u{2068}\(shown)\u{2069}" }

    private static func clean(_ text: String) -> String {
        var clean = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(4 * wholeLimit) {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: clean.append(" ")
            case .format: continue
            default: clean.append(scalar)
            }
        }
        return String(clean).split(separator: " ").joined(separator: " ")
    }

    /// Counts scalars, so that stacked combining marks are limited too.
    private static func cut(_ text: String, to limit: Int) -> String {
        guard text.unicodeScalars.count > limit else { return text }
        var short = ""
        var left = limit - 1
        for character in text {
            left -= character.unicodeScalars.count
            if left < 0 { break }
            short.append(character)
        }
        return short + "…"
    }
}
