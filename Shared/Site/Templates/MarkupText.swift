import Mustache

/// How templates write text: with character references for what has a meaning in HTML, also inside quoted attributes.
///
/// Code point by code point, as a browser reads. The template library's own way compares grapheme clusters, and to it a quotation mark
/// that a combining mark follows is another character.
struct MarkupText: MustacheContentType {
    /// What a template begins with, to be written so. The library is told of it when it is first asked for.
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

    /// All are ASCII, so none is a part of another character in UTF-8.
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
