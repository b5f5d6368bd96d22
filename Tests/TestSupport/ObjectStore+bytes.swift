public import ObjectStorage

extension ObjectStore {
    /// Reads a whole object **without** comparing anything.
    /// - Throws: `.notFound`, `.tooLarge` beyond `limit` bytes.
    public func getBytes(_ key: String, limit: Int) async throws -> [UInt8] {
        guard let object = try await fetch(key, limit: limit) else { throw ObjectStorageError(.notFound, key) }
        return object.bytes
    }
}
