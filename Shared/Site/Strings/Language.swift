import Foundation

/// A language of the site.
package enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case spanish = "es"

    /// For readers who accept none of the site's languages.
    package static let fallback = Language.english

    /// The locale for dates and numbers.
    var locale: Locale {
        switch self {
        case .english: Locale(identifier: "en_GB")
        case .spanish: Locale(identifier: "es_ES")
        }
    }

    /// The locale in Open Graph's notation.
    var openGraph: String {
        switch self {
        case .english: "en_US"
        case .spanish: "es_ES"
        }
    }

    /// The target of the language switch on every page.
    var other: Language { self == .english ? .spanish : .english }
}
