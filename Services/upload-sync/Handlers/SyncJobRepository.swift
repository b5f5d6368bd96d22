import Models
import Persistence

/// What was synced for each capture, and the names of its objects.
struct SyncJobRepository {
    func result(of capture: CaptureID, on connection: PostgresConnection) async throws -> MediaFindings? {
        let rows = try await connection.query("SELECT result FROM sync_jobs WHERE capture_id = \(capture.uuid)")
        return try rows.first?.getOptional("result", as: PostgresJSON.self)?.decode(MediaFindings.self)
    }

    /// Keeps the first result; a second worker copied the same bytes.
    func save(_ findings: MediaFindings, for capture: CaptureID, on connection: PostgresConnection) async throws {
        try await connection.query(
            """
            INSERT INTO sync_jobs (capture_id, result, synced_at) VALUES (\(capture.uuid), \(PostgresJSON(encoding: findings)), now())
            ON CONFLICT (capture_id) DO UPDATE SET result = EXCLUDED.result, synced_at = EXCLUDED.synced_at
            WHERE sync_jobs.result IS NULL
            """)
        for (name, object) in findings.objects.sorted(by: { $0.key < $1.key }) {
            try await connection.query(
                """
                INSERT INTO media_objects (capture_id, name, object_key, sha256, size_bytes, content_type)
                VALUES (\(capture.uuid), \(name), \(object.key), \(object.sha256.bytes), \(object.sizeBytes), \(object.contentType))
                ON CONFLICT (capture_id, name) DO NOTHING
                """)
        }
    }
}
