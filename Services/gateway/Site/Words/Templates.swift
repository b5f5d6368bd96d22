import Foundation
import Mustache

/// What a template is given: text, `Bool`, further contexts, or arrays of these. What is absent has no key.
typealias ViewContext = [String: Any]

/// The compiled templates.
struct Templates: Sendable {
    private let library: MustacheLibrary
    /// Names of words that they use, as ``WordTable/templateName(_:)`` writes them.
    let wordNames: Set<String>

    /// Compiles every `.mustache` file of a folder.
    /// - Throws: ``SiteError`` for one that cannot be compiled, or that includes one that does not exist.
    init(folder: URL) throws(SiteError) {
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        var library = MustacheLibrary()
        var names: Set<String> = []
        var included: Set<String> = []
        var words: Set<String> = []
        for file in files where file.pathExtension == "mustache" {
            let name = file.deletingPathExtension().lastPathComponent
            do {
                let text = try String(contentsOf: file, encoding: .utf8)
                try library.register(text, named: name)
                names.insert(name)
                included.formUnion(text.matches(of: #/\{\{> *(?<name>[\w-]+) *\}\}/#).map { String($0.output.name) })
                words.formUnion(text.matches(of: #/\{\{[#^]?t\.(?<name>\w+)\}\}/#).map { String($0.output.name) })
            } catch {
                throw SiteError(.template, "\(name): \(error)")
            }
        }
        if let missing = included.subtracting(names).min() { throw SiteError(.template, "there is no “\(missing)”") }
        self.library = library
        wordNames = words
    }

    /// - Parameter ours: what holds nothing of unknown origin, beside the context.
    /// - Throws: ``SiteError`` if there is no such template.
    func render(_ name: String, _ context: ViewContext, ours: ViewContext) throws(SiteError) -> String {
        let whole = MarkupSafety.separated(context).merging(ours) { _, ours in ours }
        guard let text = library.render(whole, withTemplate: name) else {
            throw SiteError(.template, "there is no “\(name)”")
        }
        return text
    }
}
