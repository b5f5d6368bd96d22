import CaptureProtocol
import Foundation

/// The table of the site's strings, which translators edit: key to language to text; `{x}` is a placeholder.
struct SiteStrings: Sendable {
    private let texts: [String: [Language: String]]

    /// - Throws: ``SiteError`` for a key that lacks a text in some language, or whose placeholders differ between languages.
    init(json: Data) throws(SiteError) {
        guard let table = try? JSONDecoder().decode([String: [String: String]].self, from: json) else {
            throw SiteError(.strings, "strings.json is not a table of texts by key and language")
        }
        var texts: [String: [Language: String]] = [:]
        for (key, entry) in table {
            for language in Language.allCases {
                guard let text = entry[language.rawValue], !text.isEmpty else {
                    throw SiteError(.strings, "“\(key)” has no text in “\(language.rawValue)”")
                }
                texts[key, default: [:]][language] = text
            }
            let values = Set(Language.allCases.map { Self.values(in: texts[key]?[$0] ?? "") })
            guard values.count == 1 else { throw SiteError(.strings, "“\(key)” does not have the same values in every language") }
        }
        self.texts = texts
    }

    var keys: Set<String> { Set(texts.keys) }

    /// The strings of one language. For a video, `key.video` replaces `key` if it exists.
    func table(_ language: Language, _ type: CaptureType) -> StringTable {
        var table = texts.compactMapValues { $0[language] }
        if type == .video {
            for (key, text) in table where key.hasSuffix(".video") { table[String(key.dropLast(6))] = text }
        }
        return StringTable(language: language, table)
    }

    /// The placeholders' names, between braces.
    static func values(in text: String) -> Set<Substring> {
        Set(text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap { $0.split(separator: "}").first })
    }
}
