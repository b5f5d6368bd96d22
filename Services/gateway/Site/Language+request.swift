import Hummingbird
import Site

extension Language {
    /// The cookie that stores a reader's choice.
    static let cookie = "lang"

    /// The reader's language: from the query (`?lang=es`), else the cookie of the language switch, else the browser's preferences.
    init(_ request: Request) {
        let asked = request.uri.queryParameters["lang"].flatMap { Language(rawValue: String($0)) }
        let kept = request.cookies[Self.cookie].flatMap { Language(rawValue: $0.value) }
        self = asked ?? kept ?? Language(accepting: request.headers[values: .acceptLanguage].joined(separator: ","))
    }

    /// The best match for `Accept-Language` (RFC 9110 §12.5.4): highest weight, then order. A range matches by its primary language.
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
