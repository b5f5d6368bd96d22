package import CaptureProtocol
package import Models

/// An object that anyone with its link can read.
package struct PublishedMedia: Sendable {
    let sha256: ContentDigest
    let sizeBytes: Int64
    /// Path and query.
    package let link: String
    /// The size of the upright picture; `nil` if it is not a picture or was not measured.
    let size: PixelSize?

    package init(sha256: ContentDigest, sizeBytes: Int64, link: String, size: PixelSize?) {
        self.sha256 = sha256
        self.sizeBytes = sizeBytes
        self.link = link
        self.size = size
    }
}
