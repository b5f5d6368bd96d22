import Foundation
import Mustache

/// The values for a template: text, `Bool`, nested contexts, or arrays of these. Absent values have no key.
///
/// A type of its own, since the template library asks each context for each name what it is, and that takes longer for a generic type.
package struct ViewContext: ExpressibleByDictionaryLiteral, MustacheParent {
    private var values: [String: Any]

    package init(dictionaryLiteral elements: (String, Any)...) { values = Dictionary(uniqueKeysWithValues: elements) }

    package subscript(_ name: String) -> Any? {
        get { values[name] }
        set { values[name] = newValue }
    }

    func child(named name: String) -> Any? { values[name] }

    /// This context with the values of the other one added; where both have a value, the other's counts.
    func overridden(by other: ViewContext) -> ViewContext {
        var all = self
        all.values.merge(other.values) { $1 }
        return all
    }
}

/// The templates of one language and type of capture, compiled with its strings filled in.
struct Templates: Sendable {
    private let library: MustacheLibrary
    /// Names of the strings that the templates use, in template notation.
    let stringNames: Set<String>

    /// Compiles all `.mustache` files of a folder; `{{t.name}}` is replaced by a string.
    /// - Throws: ``SiteError`` for a template that cannot be compiled, includes a missing one, or uses an unknown string.
    init(folder: URL, strings: StringTable) throws(SiteError) {
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        var library = MustacheLibrary()
        var names: Set<String> = []
        var included: Set<String> = []
        var used: Set<String> = []
        let strings = strings.byTemplateName
        for file in files where file.pathExtension == "mustache" {
            let name = file.deletingPathExtension().lastPathComponent
            do {
                let text = try String(contentsOf: file, encoding: .utf8)
                let filled = try Self.filled(text, with: strings, used: &used)
                try library.register(MarkupText.pragma + filled, named: name)
                names.insert(name)
                included.formUnion(text.matches(of: #/\{\{> *(?<name>[\w-]+) *\}\}/#).map { String($0.output.name) })
            } catch let error as SiteError {
                throw error
            } catch {
                throw SiteError(.template, "\(name): \(error)")
            }
        }
        if let missing = included.subtracting(names).min() { throw SiteError(.template, "there is no “\(missing)”") }
        self.library = library
        stringNames = used
    }

    /// - Throws: ``SiteError`` if there is no such template.
    func render(_ name: String, _ context: ViewContext) throws(SiteError) -> String {
        guard let text = library.render(context, withTemplate: name) else {
            throw SiteError(.template, "there is no “\(name)”")
        }
        return text
    }

    private static func filled(_ text: String, with strings: [String: String], used: inout Set<String>) throws(SiteError) -> String {
        var filled = ""
        var rest = text[...]
        while let match = rest.firstMatch(of: #/\{\{t\.(?<name>\w+)\}\}/#) {
            let name = String(match.output.name)
            guard let string = strings[name] else { throw SiteError(.strings, "templates use “\(name)”, which is not a string") }
            guard !string.contains("{{") else { throw SiteError(.strings, "“\(name)” has what templates would read as tags") }
            used.insert(name)
            filled += rest[..<match.range.lowerBound] + MarkupText.escape(string)
            rest = rest[match.range.upperBound...]
        }
        return filled + rest
    }
}
