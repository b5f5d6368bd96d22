package import CaptureProtocol
import Foundation

/// A file of the site that is the same for everyone.
package struct Asset: Sendable {
    package let bytes: [UInt8]
    package let contentType: String
    package let digest: ContentDigest
    /// Whether it is stored compressed as it is, as pictures but SVG are.
    package let isCompressed: Bool

    /// `nil` for a kind of file that the site does not have.
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
