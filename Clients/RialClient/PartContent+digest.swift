import struct Crypto.SHA256
import Foundation
import Models

extension PartContent {
    /// SHA-256 of the bytes.
    /// - Throws: ``APIFailure`` `unreadableFile`.
    public func digest() throws -> Digest { try Self.digest(of: [self]) }

    /// SHA-256 of several contents, one after the other.
    public static func digest(of contents: [PartContent]) throws -> Digest {
        var hasher = SHA256()
        var cursor = SegmentCursor(contents)
        while let piece = try cursor.next() { piece.withUnsafeReadableBytes { hasher.update(bufferPointer: $0) } }
        guard let digest = Digest(bytes: hasher.finalize()) else { throw APIFailure(.invalidAnswer, "SHA-256 has 32 bytes") }
        return digest
    }
}
