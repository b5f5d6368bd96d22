/// The strings of one language and kind of capture.
struct StringTable: Sendable {
    let language: Language
    private let strings: [String: String]
    /// For templates: dots are underscores, as a dot leads into a value there.
    var byTemplateName: [String: String] { Dictionary(strings.map { (Self.templateName($0.key), $0.value) }) { first, _ in first } }

    init(language: Language, _ strings: [String: String]) {
        self.language = language
        self.strings = strings
    }

    static func templateName(_ key: String) -> String { key.replacing(".", with: "_") }

    /// The text with its values. A key that does not exist stands for itself.
    func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        let text = strings[key] ?? key
        return values.isEmpty ? text : Self.fill(text, values)
    }

    /// In one pass, so that a value with braces in it stays as it is.
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
