import CaptureProtocol

/// One page to be rendered.
package struct Page {
    enum Template: String { case verify, file, landing, methodology, error }

    /// The share card of pages without a result, as `ShareCardRenderer` draws it.
    static let neutralCard = "/assets/img/share.png"

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
    /// File names.
    var scripts: [String] = []
    let context: ViewContext
}
