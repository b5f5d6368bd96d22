package import CaptureProtocol
package import Models

/// An object that anyone with its link may read.
package struct PublishedMedia: Sendable {
    let sha256: ContentDigest
    let sizeBytes: Int64
    /// Path and query.
    package let link: String
    /// Upright; `nil` for what is no picture, or none that could be measured.
    let size: PixelSize?

    package init(sha256: ContentDigest, sizeBytes: Int64, link: String, size: PixelSize?) {
        self.sha256 = sha256
        self.sizeBytes = sizeBytes
        self.link = link
        self.size = size
    }
}
