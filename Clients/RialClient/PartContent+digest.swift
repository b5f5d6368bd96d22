import NIOCore
public import CaptureProtocol
import struct Crypto.SHA256
import Foundation

extension PartContent {
    /// SHA-256 of the bytes.
    /// - Throws: ``APIFailure`` `unreadableFile`.
    public func digest() throws -> ContentDigest { try Self.digest(of: [self]) }

    /// SHA-256 of several contents, concatenated.
    public static func digest(of contents: [PartContent]) throws -> ContentDigest {
        var hasher = SHA256()
        var cursor = SegmentCursor(contents)
        while let piece = try cursor.next() { piece.withUnsafeReadableBytes { hasher.update(bufferPointer: $0) } }
        return ContentDigest(hasher.finalize())
    }
}
