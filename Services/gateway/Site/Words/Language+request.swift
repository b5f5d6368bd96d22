import Hummingbird

extension Language {
    /// The cookie in which a reader's choice is kept.
    static let cookie = "lang"

    /// What the reader chose: with the address (`?lang=es`), with the switch before (cookie), or in the browser.
    init(_ request: Request) {
        let asked = request.uri.queryParameters["lang"].flatMap { Language(rawValue: String($0)) }
        let kept = request.cookies[Self.cookie].flatMap { Language(rawValue: $0.value) }
        self = asked ?? kept ?? Language(accepting: request.headers[values: .acceptLanguage].joined(separator: ","))
    }
}
