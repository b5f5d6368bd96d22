public import CaptureProtocol
import Crypto

/// The digests of all depth maps of a recording.
public struct DepthDigests: DepthDataVisitor {
    /// In ascending time; at most 200.
    public private(set) var records: [(record: DepthRecord, digest: ContentDigest)] = []
    private var hasher = SHA256()

    public init() {}

    public mutating func begin(width: Int, height: Int) {}
    public mutating func take(_ bytes: UnsafeRawBufferPointer) { hasher.update(bufferPointer: bytes) }

    public mutating func end(_ record: DepthRecord) {
        records.append((record, ContentDigest(hasher.finalize())))
        hasher = SHA256()
    }
}
