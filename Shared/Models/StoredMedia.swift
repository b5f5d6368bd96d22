public import CaptureProtocol

/// A stored object with its attributes.
public struct StoredMedia: Codable, Sendable, Hashable {
    /// The object key.
    public let key: String
    public let sha256: ContentDigest
    public let sizeBytes: Int64
    public let contentType: String
    /// Size of an upright picture in pixels; `nil` if it is not a picture or was not measured.
    public let pixels: PixelSize?

    public init(key: String, sha256: ContentDigest, sizeBytes: Int64, contentType: String, pixels: PixelSize? = nil) {
        self.key = key
        self.sha256 = sha256
        self.sizeBytes = sizeBytes
        self.contentType = contentType
        self.pixels = pixels
    }

    enum CodingKeys: String, CodingKey {
        case key, sha256, pixels
        case sizeBytes = "size_bytes"
        case contentType = "content_type"
    }
}
