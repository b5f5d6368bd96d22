/// Bytes that are elsewhere than in memory, such as in a file, and become a part of a body piece by piece.
public protocol SegmentSource: Sendable {
    /// Exactly as many bytes as its readers give; a reader that cannot keep to it throws.
    var sizeBytes: Int64 { get }
    /// Reads it once, from its beginning.
    func makeReader() throws -> any HTTPBodyReader
}
