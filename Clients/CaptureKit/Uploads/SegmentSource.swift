/// Bytes that are elsewhere than in memory, such as in a file, and become a part of a body piece by piece.
public protocol SegmentSource: Sendable {
    /// Exactly as many bytes as its readers give; a reader that cannot keep to it throws.
    var sizeBytes: Int64 { get }
    /// Reads it once, from its beginning.
    func makeReader() throws -> any HTTPBodyReader
    /// Reads it once, from this byte on; if this is not implemented, by reading what is before it, too.
    /// - Parameter offset: 0…``sizeBytes``.
    func makeReader(from offset: Int64) throws -> any HTTPBodyReader
}

extension SegmentSource {
    public func makeReader(from offset: Int64) throws -> any HTTPBodyReader { SkippingReader(try makeReader(), skipping: offset) }
}
