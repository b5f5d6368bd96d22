import CaptureProtocol
import Foundation
import Persistence

/// A stored object that upload-sync found missing or changed, or could not read.
struct DamagedMedia: Sendable {
    let capture: CaptureID
    let name: String
    let key: String
    let problem: String
    let foundAt: Date
    let seenAt: Date
    /// `nil` while it is damaged.
    let mendedAt: Date?
}

/// The rows in `media_damage`, which upload-sync writes.
struct PostgresMediaDamage {
    let url: String

    /// At most 10,000; what is still damaged comes first, the oldest before the others.
    func all() async throws -> [DamagedMedia] {
        try await PostgresConnection.administering(url) { connection in
            try await connection.query(
                """
                SELECT capture_id, name, object_key, problem, found_at, seen_at, mended_at FROM media_damage
                ORDER BY mended_at DESC NULLS FIRST, found_at, capture_id, name LIMIT 10000
                """
            ).map { row in
                DamagedMedia(
                    capture: CaptureID(try row.get("capture_id", as: UUID.self)), name: try row.get("name"), key: try row.get("object_key"),
                    problem: try row.get("problem"), foundAt: try row.get("found_at"), seenAt: try row.get("seen_at"),
                    mendedAt: try row.getOptional("mended_at"))
            }
        }
    }
}
