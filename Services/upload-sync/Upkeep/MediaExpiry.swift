import Foundation
import Logging
import Metrics
import Models
import ObjectStorage
import Persistence

/// Deletes the media of failed captures of unverified devices 30 days after their upload: anyone may have such a device, and space must
/// stay bounded (SPEC §11). The capture stays `failed`; the same upload sent again brings its bytes, and it goes through again.
struct MediaExpiry {
    static let batchSize = 100
    let database: PostgresPool
    let storage: S3Client
    let logger: Logger

    func expire() async throws {
        let captures = try await database.query(
            """
            SELECT captures.id FROM captures JOIN devices ON devices.id = captures.device_id
            LEFT JOIN sync_jobs ON sync_jobs.capture_id = captures.id
            WHERE captures.status = 'failed' AND captures.uploaded_at < now() - interval '30 days'
                AND devices.attestation_level = 'unverified'
                AND coalesce(sync_jobs.media_expired_at, captures.uploaded_at) < now() - interval '30 days'
            ORDER BY captures.uploaded_at LIMIT \(Self.batchSize)
            """
        ).map { CaptureID(try $0.get("id", as: UUID.self)) }
        for id in captures {
            do {
                try await expire(id)
            } catch {
                logger.cleanUpFailed("media of failed captures", id, error)
            }
        }
    }

    /// Under a lock that the gateway takes before it brings bytes again. The depth preview stays: it is small, and the stored depth
    /// result goes on naming it.
    private func expire(_ capture: CaptureID) async throws {
        try await database.withTransaction { connection in
            let lock = try await connection.query(
                "SELECT pg_try_advisory_xact_lock(hashtextextended(\(capture.description), 0)) AS held")
            guard try lock.first?.get("held") == true else { return }
            let still = try await connection.query(
                """
                SELECT id FROM captures WHERE id = \(capture.uuid) AND status = 'failed'
                    AND NOT EXISTS (SELECT FROM intakes WHERE intakes.id = captures.id)
                """)
            guard !still.isEmpty else { return }
            try await connection.query(
                """
                INSERT INTO sync_jobs (capture_id, media_expired_at) VALUES (\(capture.uuid), now())
                ON CONFLICT (capture_id) DO UPDATE SET result = NULL, synced_at = NULL, media_expired_at = now()
                """)
            try await connection.query("DELETE FROM media_objects WHERE capture_id = \(capture.uuid)")
            try await StoredPrefix.intake(of: capture, in: storage).empty()
            let media = StoredPrefix.media(of: capture, in: storage)
            try await media.empty { $0.hasPrefix(media.text + "depth-preview-") }
        }
        Counter(label: "rial_media_expired_total").increment()
        logger.notice("media of a failed capture deleted", metadata: ["capture_id": "\(capture)"])
    }
}
