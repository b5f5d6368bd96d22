import CaptureProtocol
import Models
import Persistence

/// The names of the objects that `upload-sync` answers for.
struct MediaObjectRepository {
    func insert(_ objects: [MediaName: StoredMedia], of capture: CaptureID, on connection: PostgresConnection) async throws {
        for (name, object) in objects.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try await connection.query(
                """
                INSERT INTO media_objects (capture_id, name, object_key, sha256, size_bytes, content_type)
                VALUES (\(capture.uuid), \(name.rawValue), \(object.key), \(object.sha256.bytes), \(object.sizeBytes), \(object.contentType))
                ON CONFLICT (capture_id, name) DO NOTHING
                """)
        }
    }
}
