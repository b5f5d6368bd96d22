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
        for item in field.prefix(1000).split(separator: ",").prefix(50) {
            let parts = item.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            guard let range = parts.first?.lowercased(), let weight = Self.weight(parts.dropFirst()), weight > 0 else { continue }
            let primary = range.split(separator: "-").first.map(String.init) ?? ""
            guard let language = range == "*" ? .fallback : Language(rawValue: primary) else { continue }
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        self = best?.language ?? .fallback
    }

    /// 1 without `q`; `nil` for what is no weight.
    private static func weight(_ parameters: some Sequence<String>) -> Double? {
        guard let parameter = parameters.first(where: { $0.lowercased().hasPrefix("q=") }) else { return 1 }
        guard let weight = Double(parameter.dropFirst(2)), (0...1).contains(weight) else { return nil }
        return weight
    }
}
