/// Why the site cannot start, or a page cannot be rendered.
package struct SiteError: Error, CustomStringConvertible {
    package enum Code: String, Sendable { case resource, strings, template }
    package let code: Code
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "site: \(code.rawValue): \(message)" }
}
