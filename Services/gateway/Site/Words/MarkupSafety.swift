/// Makes text safe for the template library's escaping.
///
/// The library compares whole grapheme clusters with `<`, `>`, `&`, `"` and `'`: a quotation mark that a combining mark follows,
/// or a prepended one precedes, is another cluster to it and is written as it is, while a browser, which reads code points, takes it
/// for the end of an attribute. Such clusters keep only their markup character.
enum MarkupSafety {
    private static let markup: Set<Unicode.Scalar> = ["<", ">", "&", "\"", "'"]

    static func separated(_ context: ViewContext) -> ViewContext { context.mapValues(separated) }

    private static func separated(_ value: Any) -> Any {
        switch value {
        case let text as String: separated(text)
        case let context as ViewContext: separated(context)
        case let list as [Any]: list.map(separated)
        default: value
        }
    }

    static func separated(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: markup.contains) else { return text }
        var safe = ""
        safe.reserveCapacity(text.utf8.count)
        for character in text {
            let scalars = character.unicodeScalars
            if scalars.index(after: scalars.startIndex) == scalars.endIndex || !scalars.contains(where: markup.contains) {
                safe.append(character)
            } else {
                safe.unicodeScalars.append(contentsOf: scalars.filter(markup.contains))
            }
        }
        return safe
    }
}
