import Mustache

/// The escaping of text in templates: character references for characters with a meaning in HTML, also inside quoted attributes.
///
/// Works on code points, as browsers do. The template library's own escaping compares grapheme clusters, so it would not escape a quotation
/// mark followed by a combining mark.
struct MarkupText: MustacheContentType {
    /// The pragma at the beginning of a template that selects this escaping. Registers the content type with the library on first use.
    static let pragma: String = {
        MustacheContentTypes.register(MarkupText(), named: "MARKUP")
        return "{{% CONTENT_TYPE:MARKUP}}"
    }()

    func escapeText(_ text: String) -> String { Self.escape(text) }

    static func escape(_ text: String) -> String {
        guard text.utf8.contains(where: { reference($0) != nil }) else { return text }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count + 32)
        for byte in text.utf8 {
            if let reference = reference(byte) { escaped += reference.utf8 } else { escaped.append(byte) }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// All are ASCII, so none is part of another character in UTF-8.
    private static func reference(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }
}
