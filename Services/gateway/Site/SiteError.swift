/// Why the site cannot start, or a page cannot be made.
struct SiteError: Error, CustomStringConvertible {
    enum Code: String, Sendable { case resource, words, template }
    let code: Code
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    var description: String { "site: \(code.rawValue): \(message)" }
}
