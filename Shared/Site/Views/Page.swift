import CaptureProtocol
import Models

/// One page to be rendered.
package struct Page {
    enum Template: String { case verify, file, landing, methodology, log, bundle, error }

    /// The share card of pages without a result, as `ShareCardRenderer` draws it.
    package static let neutralCard = "/assets/img/share.png"

    /// A share card for `og:image`.
    static func card(_ address: String, alt: String) -> ViewContext {
        ["src": address, "width": ShareCardSize.width, "height": ShareCardSize.height, "alt": alt]
    }

    let template: Template
    /// The type of the page's capture; `nil` if it has none.
    var type: CaptureType?
    let title: String
    /// Without the query: the language switch returns to it, and the canonical address is built from it.
    let path: String
    var isCanonical = true
    /// Whether search engines may list it.
    package var isIndexed = true
    /// Whether it previews a file that the reader chose (`blob:`).
    package var showsLocalFiles = false
    /// Whether it works when it was saved to disk and is opened from there: script in the page, links with the site's address, and a policy
    /// in the page as well, which lets it request nothing.
    package var isPortable = false
    /// File names.
    var scripts: [String] = []
    let context: ViewContext
}
