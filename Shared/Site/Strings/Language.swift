import Foundation

/// A language of the site.
package enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case spanish = "es"

    /// What readers get whose own is not among them.
    package static let fallback = Language.english

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
}
