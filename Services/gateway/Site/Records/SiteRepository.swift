import Foundation
import Models
import Persistence

/// What the site reads beside the capture itself.
struct SiteRepository: Sendable {
    let database: PostgresPool

    /// What the row of a capture does not tell.
    struct Surroundings: Sendable {
        let model: String
        let isDevelopment: Bool
        let signedAt: Date?
        let issuer: String?
    }

    /// - Returns: `nil` if there is no such capture.
    func surroundings(of id: CaptureID) async throws -> Surroundings? {
        let rows = try await database.query(
            """
            SELECT devices.model, devices.is_development_root, content_credentials.signed_at, content_credentials.issuer
            FROM captures
            JOIN devices ON devices.id = captures.device_id
            LEFT JOIN content_credentials ON content_credentials.capture_id = captures.id
            WHERE captures.id = \(id.uuid)
            """)
        return try rows.first.map { row in
            Surroundings(
                model: try row.get("model"), isDevelopment: try row.get("is_development_root"), signedAt: try row.getOptional("signed_at"),
                issuer: try row.getOptional("issuer"))
        }
    }

    /// The published objects of a capture, by name; never the original or its depth.
    func media(of id: CaptureID) async throws -> [String: StoredMedia] {
        let rows = try await database.query(
            "SELECT name, object_key, sha256, size_bytes, content_type FROM media_objects WHERE capture_id = \(id.uuid)")
        var media: [String: StoredMedia] = [:]
        for row in rows {
            let name = try row.get("name", as: String.self)
            guard MediaLinks.names.contains(name), let digest = Digest(bytes: try row.get("sha256", as: [UInt8].self)) else { continue }
            media[name] = StoredMedia(
                key: try row.get("object_key"), sha256: digest, sizeBytes: try row.get("size_bytes"),
                contentType: try row.get("content_type"))
        }
        return media
    }
}
