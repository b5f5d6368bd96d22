public import CaptureProtocol
import Crypto
import Foundation

extension HTTPBody {
    /// SHA-256 of the body, which is read once for it.
    public func digest() async throws -> ContentDigest { try await ContentDigest(reading: makeReader()) }
}

extension ContentDigest {
    /// Hashes everything that the reader gives.
    init(reading reader: any HTTPBodyReader) async throws {
        var hasher = SHA256()
        while let piece = try await reader.next() { hasher.update(data: piece) }
        self.init(hasher.finalize())
    }
}
