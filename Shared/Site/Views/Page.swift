import CaptureProtocol

/// One page to be rendered.
package struct Page {
    enum Template: String { case verify, file, landing, methodology, error }

    /// The share card of what has no result of its own, as `ShareCardRenderer` draws it without one.
    static let neutralCard = "/assets/img/share.png"

    let template: Template
    /// Of the capture that it is about; `nil` for none in particular.
    var type: CaptureType?
    let title: String
    /// Without the query: where the language switch leads back to, and below the public address the canonical one.
    let path: String
    var isCanonical = true
    /// Whether search engines may list it.
    package var isIndexed = true
    /// It previews a file that the reader chose (`blob:`).
    package var showsLocalFiles = false
    /// File names.
    var scripts: [String] = []
    let context: ViewContext
}
