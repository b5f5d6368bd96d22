/// The strings of one language and type of capture.
struct StringTable: Sendable {
    let language: Language
    private let strings: [String: String]
    /// The strings by the keys that templates use: underscores for dots, since a dot separates nested values in templates.
    var byTemplateName: [String: String] { Dictionary(strings.map { (Self.templateName($0.key), $0.value) }) { first, _ in first } }

    init(language: Language, _ strings: [String: String]) {
        self.language = language
        self.strings = strings
    }

    static func templateName(_ key: String) -> String { key.replacing(".", with: "_") }

    /// The text with its placeholders filled in. For an unknown key it returns the key.
    func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        let text = strings[key] ?? key
        return values.isEmpty ? text : Self.fill(text, values)
    }

    /// Fills in all placeholders in one pass, so that braces inside values are not replaced.
    private static func fill(_ text: String, _ values: [String: String]) -> String {
        var filled = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            filled += rest[..<open]
            let name = String(rest[rest.index(after: open)..<close])
            filled += values[name] ?? "{\(name)}"
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }
}
