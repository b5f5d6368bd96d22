/// The words of one language and kind of capture.
struct WordTable: Sendable {
    let language: Language
    private let words: [String: String]
    /// For templates: dots are underscores, as a dot leads into a value there.
    var byTemplateName: [String: String] { Dictionary(words.map { (Self.templateName($0.key), $0.value) }) { first, _ in first } }

    init(language: Language, _ words: [String: String]) {
        self.language = language
        self.words = words
    }

    static func templateName(_ key: String) -> String { key.replacing(".", with: "_") }

    /// The text with its values. A key that does not exist stands for itself.
    func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        let text = words[key] ?? key
        return values.isEmpty ? text : Self.fill(text, values)
    }

    /// The text around the one value that it has.
    func phrase(_ key: String, _ name: String, _ value: UntrustedText) -> Phrase {
        let halves = self(key).split(separator: "{\(name)}", maxSplits: 1, omittingEmptySubsequences: false)
        return Phrase(
            before: halves.first.map(String.init) ?? "", value: value.shown, after: halves.dropFirst().first.map(String.init) ?? "",
            whole: value.whole)
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
