public import CaptureProtocol

/// What was sealed in a file.
public struct SealedContent: Sendable, Equatable {
    /// The digest of the plain bytes.
    public let digest: ContentDigest
    /// Plain bytes.
    public let sizeBytes: Int64

    public init(digest: ContentDigest, sizeBytes: Int64) {
        self.digest = digest
        self.sizeBytes = sizeBytes
    }
}
