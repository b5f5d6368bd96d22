public import CaptureProtocol
public import Persistence

extension Row {
    /// The column's SHA-256.
    /// - Throws: ``PostgresError`` with `decoding` also if it does not have 32 bytes.
    public func digest(_ column: String) throws -> ContentDigest {
        guard let digest = ContentDigest(bytes: try get(column, as: [UInt8].self)) else {
            throw PostgresError(code: .decoding, message: "column \(column) is not a SHA-256")
        }
        return digest
    }
}
