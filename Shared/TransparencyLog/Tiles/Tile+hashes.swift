public import CaptureProtocol

extension Tile {
    /// Reads the stored bytes of a tile of hashes: 32 each, and no more.
    /// - Throws: ``TransparencyLogError/Code/malformedTile`` for another length.
    public func hashes(in bytes: [UInt8]) throws(TransparencyLogError) -> [ContentDigest] {
        guard bytes.count == 32 * width else { throw TransparencyLogError(.malformedTile, "is not \(width) hashes of 32 bytes") }
        return stride(from: 0, to: bytes.count, by: 32).compactMap { ContentDigest(bytes: bytes[$0..<$0 + 32]) }
    }

    /// Reads a partial tile of hashes from the bytes of the ``full`` one: its first ``width`` hashes.
    /// - Throws: ``TransparencyLogError/Code/malformedTile`` for another length.
    public func hashes(inFull bytes: [UInt8]) throws(TransparencyLogError) -> [ContentDigest] {
        Array(try full.hashes(in: bytes).prefix(width))
    }

    /// The stored bytes of a tile of hashes.
    public static func bytes(of hashes: [ContentDigest]) -> [UInt8] { hashes.flatMap(\.bytes) }
}
