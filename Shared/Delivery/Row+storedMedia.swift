public import Models
public import Persistence

extension Row {
    /// The object in the columns `object_key`, `sha256`, `size_bytes` and `content_type`; `nil` if `object_key` is NULL.
    /// - Throws: `PostgresError` with `decoding`.
    public func storedMedia() throws -> StoredMedia? {
        guard let key = try getOptional("object_key", as: String.self) else { return nil }
        return StoredMedia(
            key: key, sha256: try digest("sha256"), sizeBytes: try get("size_bytes"), contentType: try get("content_type"))
    }
}
