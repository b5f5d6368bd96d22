import CaptureProtocol
import Foundation
import Models
import Persistence

/// Looks up published objects.
struct MediaObjectRepository: Sendable {
    let database: PostgresPool

    /// A published object, and whether anyone may know when it was made: the store's own answers say it (`Last-Modified`).
    struct Found: Sendable {
        let media: StoredMedia
        let isTimePublic: Bool
        /// Whether the capture's verdict was taken back.
        let isRevoked: Bool
    }

    /// - Returns: `nil` if the capture has no such object.
    /// - Throws: `WithdrawnCapture` if it was withdrawn.
    func find(_ capture: CaptureID, _ name: MediaName) async throws -> Found? {
        let rows = try await database.query(
            """
            SELECT object_key, sha256, size_bytes, captured_precision, withdrawn_at, \(PostgresCaptureRepository.isRevoked) AS is_revoked
            FROM captures
            LEFT JOIN media_objects ON media_objects.capture_id = captures.id AND media_objects.name = \(name.rawValue)
            WHERE captures.id = \(capture.uuid)
            """)
        if let time = try rows.first?.getOptional("withdrawn_at", as: Date.self) { throw WithdrawnCapture(withdrawnAt: time) }
        guard let row = rows.first, let digest = try row.getOptional("sha256", as: [UInt8].self).flatMap({ ContentDigest(bytes: $0) })
        else { return nil }
        return Found(
            media: StoredMedia(
                key: try row.get("object_key"), sha256: digest, sizeBytes: try row.get("size_bytes"), contentType: name.contentType),
            isTimePublic: try row.get("captured_precision", as: String.self) == TimePrecision.exact.rawValue,
            isRevoked: try row.get("is_revoked"))
    }
}
