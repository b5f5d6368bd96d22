import CaptureProtocol
import Foundation

/// A file of the site that is the same for everyone.
struct Asset: Sendable {
    let bytes: [UInt8]
    /// The same, compressed; `nil` where that gains nothing.
    let compressed: [UInt8]?
    let contentType: String
    let digest: ContentDigest

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
        // Pictures but SVG are compressed already.
        compressed = ["png", "jpg"].contains(file.pathExtension) ? nil : ContentCoding.gzip(bytes, level: 9)
        contentType = type
        digest = ContentDigest(of: data)
    }

    var tag: String { "\"\(digest.hex)\"" }
}
