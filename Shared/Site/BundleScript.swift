import CaptureProtocol
import Foundation

/// The script of `/bundle`, which stands in the page itself: a page saved to disk has nothing beside it (SPEC §14 "Routes").
struct BundleScript: Sendable {
    /// The parts share one scope, in this order.
    static let parts = ["bytes", "archive", "statement", "note", "policy", "evidence", "verify", "report", "page"]

    let text: String
    /// SHA-256 of ``text`` in base64, for the content security policy.
    let digest: String

    /// - Parameter folder: of the parts.
    /// - Throws: ``SiteError`` if a part is missing, or has what would end a script in a page.
    init(folder: URL) throws(SiteError) {
        var lines: [Substring] = []
        for part in Self.parts {
            guard let source = try? String(contentsOf: folder.appendingPathComponent("\(part).js"), encoding: .utf8),
                !source.contains("</"), !source.contains("<!--")
            else { throw SiteError(.resource, "bundle/\(part).js cannot be read, or cannot stand in a page") }
            lines += Self.code(source)
        }
        text = lines.joined(separator: "\n")
        digest = Base64.encode(ContentDigest(of: Array(text.utf8)).bytes)
    }

    /// The lines without comments that have lines of their own, and without indentation: no text of ours goes over several lines.
    private static func code(_ source: String) -> [Substring] {
        var isComment = false
        return source.split(separator: "\n").compactMap { line in
            let line = line.drop { $0 == " " }
            if isComment || line.hasPrefix("/**") {
                isComment = !line.hasSuffix("*/")
                return nil
            }
            return line.isEmpty || line.hasPrefix("//") ? nil : line
        }
    }
}
