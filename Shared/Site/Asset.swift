package import CaptureProtocol
import Foundation

/// A static file of the site.
package struct Asset: Sendable {
    package let bytes: [UInt8]
    package let contentType: String
    package let digest: ContentDigest
    /// Whether its format is already compressed, as of all pictures but SVG.
    package let isCompressed: Bool

    /// `nil` for an unsupported type of file.
    init?(_ file: URL) throws(SiteError) {
        let types = [
            "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
            "jpg": "image/jpeg",
        ]
        guard let type = types[file.pathExtension] else { return nil }
        guard let data = try? Data(contentsOf: file) else {
            throw SiteError(.resource, "\(file.lastPathComponent) cannot be read")
        }
        bytes = Array(data)
        contentType = type
        digest = ContentDigest(of: data)
        isCompressed = ["png", "jpg"].contains(file.pathExtension)
    }
}
