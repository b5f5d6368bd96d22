public import CaptureProtocol

/// The content of one part of an upload.
public enum PartContent: Sendable {
    case bytes([UInt8])
    /// Read anew for each attempt, never held as a whole.
    case source(any SegmentSource)

    public var sizeBytes: Int64 {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .source(let source): source.sizeBytes
        }
    }

    /// Reads it once, from this byte on.
    /// - Parameter offset: 0…``sizeBytes``.
    public func makeReader(from offset: Int64 = 0) throws -> any HTTPBodyReader {
        switch self {
        case .bytes(let bytes): BytesBody(bytes).makeReader(from: offset)
        case .source(let source): offset > 0 ? try source.makeReader(from: offset) : try source.makeReader()
        }
    }

    /// SHA-256 of the bytes, which are read once for it.
    public func digest() async throws -> ContentDigest { try await Self.digest(of: [self]) }

    /// SHA-256 of several contents, concatenated.
    public static func digest(of contents: [PartContent]) async throws -> ContentDigest {
        try await ContentDigest(reading: SegmentReader(contents))
    }
}
