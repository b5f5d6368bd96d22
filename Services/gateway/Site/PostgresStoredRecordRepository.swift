import CaptureProtocol
import Foundation
import Models
import Persistence

/// Reads captures with one SQL statement per page.
struct PostgresStoredRecordRepository: StoredRecordRepository {
    let database: PostgresPool

    func record(_ id: CaptureID) async throws -> StoredRecord? { try await record(where: "captures.id = \(id.uuid)") }

    func record(shortID: String) async throws -> StoredRecord? { try await record(where: "captures.short_id = \(shortID)") }

    private func record(where condition: SQL) async throws -> StoredRecord? {
        let rows = try await database.query(
            """
            SELECT \(PostgresCaptureRepository.fields), devices.model, devices.is_development_root, signed_at, issuer,
                (SELECT count(DISTINCT same.device_id) FROM captures AS same
                    WHERE same.media_sha256 = captures.media_sha256 AND same.status = 'complete') AS claiming_devices,
                EXISTS (SELECT FROM statements WHERE statements.capture_id = captures.id AND kind = 'reassessment') AS is_reassessed,
                (SELECT json_object_agg(name, json_build_object('key', object_key, 'sha256', encode(sha256, 'hex'),
                        'size_bytes', size_bytes, 'content_type', content_type,
                        'pixels', CASE WHEN width IS NOT NULL THEN json_build_object('width', width, 'height', height) END))
                    FROM media_objects WHERE media_objects.capture_id = captures.id) AS media
            FROM captures
            JOIN devices ON devices.id = captures.device_id
            LEFT JOIN content_credentials ON content_credentials.capture_id = captures.id
            WHERE \(condition)
            """)
        return try rows.first.map { row in
            let named = try row.getOptional("media", as: PostgresJSON.self)?.decode([String: StoredMedia].self) ?? [:]
            let media = MediaName.published.compactMap { name in named[name.rawValue].map { (name, $0) } }
            return StoredRecord(
                row: try CaptureRow(row), model: try row.get("model"), isDevelopment: try row.get("is_development_root"),
                signedAt: try row.getOptional("signed_at"), issuer: try row.getOptional("issuer"),
                claimingDevices: Int(try row.get("claiming_devices", as: Int64.self)),
                isReassessed: try row.get("is_reassessed"), media: Dictionary(uniqueKeysWithValues: media))
        }
    }
}
