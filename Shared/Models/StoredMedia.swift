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

    /// Bytes that an upload contained, under their final key in the capture.
    public init(_ bytes: [UInt8], as name: MediaName, of capture: CaptureID) {
        self.init(
            key: name.key(of: capture), sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count), contentType: name.contentType)
    }

    enum CodingKeys: String, CodingKey {
        case key, sha256, pixels
        case sizeBytes = "size_bytes"
        case contentType = "content_type"
    }
}
