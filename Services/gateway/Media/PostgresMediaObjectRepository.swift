import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence

/// The published objects in `media_objects`.
struct PostgresMediaObjectRepository: MediaObjectRepository {
    let database: PostgresPool

    func find(_ capture: CaptureID, _ name: MediaName) async throws -> PublishedObject? {
        let rows = try await database.query(
            """
            SELECT object_key, sha256, size_bytes, \(name.contentType) AS content_type, captured_precision, withdrawn_at,
                \(PostgresCaptureRepository.isRevoked) AS is_revoked
            FROM captures
            LEFT JOIN media_objects ON media_objects.capture_id = captures.id AND media_objects.name = \(name.rawValue)
            WHERE captures.id = \(capture.uuid)
            """)
        if let time = try rows.first?.getOptional("withdrawn_at", as: Date.self) { throw WithdrawnCapture(withdrawnAt: time) }
        guard let row = rows.first, let media = try row.storedMedia() else { return nil }
        return PublishedObject(
            media: media, isTimePublic: try row.get("captured_precision", as: String.self) == TimePrecision.exact.rawValue,
            isRevoked: try row.get("is_revoked"))
    }
}
