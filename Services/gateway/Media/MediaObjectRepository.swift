import CaptureProtocol
import Models
import Persistence

/// Looks up published objects.
struct MediaObjectRepository: Sendable {
    let database: PostgresPool

    /// - Returns: `nil` if the capture has no such object.
    func find(_ capture: CaptureID, _ name: MediaName) async throws -> StoredMedia? {
        let rows = try await database.query(
            """
            SELECT object_key, sha256, size_bytes FROM media_objects WHERE capture_id = \(capture.uuid) AND name = \(name.rawValue)
            """)
        guard let row = rows.first, let digest = ContentDigest(bytes: try row.get("sha256", as: [UInt8].self)) else { return nil }
        return StoredMedia(
            key: try row.get("object_key"), sha256: digest, sizeBytes: try row.get("size_bytes"), contentType: name.contentType)
    }
}
