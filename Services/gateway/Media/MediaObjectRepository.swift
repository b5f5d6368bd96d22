import CaptureProtocol
import Models
import Persistence

/// Looks up published objects.
struct MediaObjectRepository: Sendable {
    let database: PostgresPool

    /// A published object, and whether anyone may know when it was made: the store's own answers say it (`Last-Modified`).
    struct Found: Sendable {
        let media: StoredMedia
        let isTimePublic: Bool
    }

    /// - Returns: `nil` if the capture has no such object.
    func find(_ capture: CaptureID, _ name: MediaName) async throws -> Found? {
        let rows = try await database.query(
            """
            SELECT object_key, sha256, size_bytes, captured_precision FROM media_objects JOIN captures ON captures.id = capture_id
            WHERE capture_id = \(capture.uuid) AND name = \(name.rawValue)
            """)
        guard let row = rows.first, let digest = ContentDigest(bytes: try row.get("sha256", as: [UInt8].self)) else { return nil }
        return Found(
            media: StoredMedia(
                key: try row.get("object_key"), sha256: digest, sizeBytes: try row.get("size_bytes"), contentType: name.contentType),
            isTimePublic: try row.get("captured_precision", as: String.self) == TimePrecision.exact.rawValue)
    }
}
