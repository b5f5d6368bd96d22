import Foundation

/// A language of the site.
enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case spanish = "es"

    /// What readers get whose own is not among them.
    static let fallback = Language.english

    /// Of dates and numbers.
    var locale: Locale {
        switch self {
        case .english: Locale(identifier: "en_GB")
        case .spanish: Locale(identifier: "es_ES")
        }
    }

    /// As Open Graph writes it.
    var openGraph: String {
        switch self {
        case .english: "en_US"
        case .spanish: "es_ES"
        }
    }

    /// What the switch on every page leads to.
    var other: Language { self == .english ? .spanish : .english }

    /// The best of `Accept-Language` (RFC 9110 §12.5.4): highest weight, then order. A range stands for its primary language.
    init(accepting field: String) {
        var best: (language: Language, weight: Double)?
        for (range, weight) in WeightedList([field]).items where weight > best?.weight ?? 0 {
            let primary = range.split(separator: "-").first.map(String.init) ?? ""
            guard let language = range == "*" ? .fallback : Language(rawValue: primary) else { continue }
            best = (language, weight)
        }
        self = best?.language ?? .fallback
    }
}
