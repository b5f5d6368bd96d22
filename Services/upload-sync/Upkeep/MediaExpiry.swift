import CaptureProtocol
import Foundation
import Logging
import Metrics
import ObjectStorage
import Persistence

/// Deletes the media of failed captures of unverified devices 30 days after their upload: anyone may have such a device, and space must
/// stay bounded (SPEC §11). The capture stays `failed`; the same upload sent again brings its bytes, and it goes through again.
struct MediaExpiry {
    static let batchSize = 100
    let database: PostgresPool
    let storage: any ObjectStore
    let logger: Logger

    func expire() async throws {
        while true {
            let captures = try await database.query(
                """
                SELECT captures.id FROM captures JOIN devices ON devices.id = captures.device_id
                LEFT JOIN sync_jobs ON sync_jobs.capture_id = captures.id
                WHERE captures.status = 'failed' AND captures.uploaded_at < now() - interval '30 days'
                    AND devices.attestation_level = 'unverified'
                    AND (sync_jobs.media_expired_at IS NULL
                        OR sync_jobs.media_expired_at < now() - interval '30 days' AND sync_jobs.synced_at > sync_jobs.media_expired_at)
                ORDER BY captures.uploaded_at LIMIT \(Self.batchSize)
                """
            ).map { CaptureID(try $0.get("id", as: UUID.self)) }
            var expired = 0
            for id in captures {
                do {
                    if try await expire(id) { expired += 1 }
                } catch {
                    logger.cleanUpFailed("media of failed captures", id, error)
                }
            }
            guard captures.count == Self.batchSize, expired > 0, !Task.isCancelled else { return }
        }
    }

    /// Under a lock that the gateway takes before it brings bytes again. First no row names the objects any more, then they go: a store that
    /// takes its time leaves no row that names what is gone. Sent again, it is analyzed again.
    /// - Returns: false if the capture is being brought again.
    private func expire(_ capture: CaptureID) async throws -> Bool {
        let isForgotten = try await whileFailed(capture) { connection in
            try await connection.query("UPDATE sync_jobs SET result = NULL, synced_at = NULL WHERE capture_id = \(capture.uuid)")
        }
        guard isForgotten else { return false }
        let isDeleted = try await whileFailed(capture) { connection in
            try await StoredPrefix.intake(of: capture, in: storage).empty()
            try await StoredPrefix.media(of: capture, in: storage).empty()
            try await connection.query(
                """
                INSERT INTO sync_jobs (capture_id, media_expired_at) VALUES (\(capture.uuid), now())
                ON CONFLICT (capture_id) DO UPDATE SET media_expired_at = now()
                """)
        }
        guard isDeleted else { return false }
        Counter(label: "rial_media_expired_total").increment()
        logger.notice("media of a failed capture deleted", metadata: ["capture_id": "\(capture)"])
        return true
    }

    /// - Returns: false, with nothing done, unless the capture is failed and nobody brings its bytes again, or has synced them since.
    private func whileFailed(
        _ capture: CaptureID, _ work: @escaping @Sendable (_ connection: PostgresConnection) async throws -> Void
    ) async throws -> Bool {
        try await database.withTransaction { connection in
            let lock = try await connection.query(
                "SELECT pg_try_advisory_xact_lock(hashtextextended(\(capture.description), 0)) AS held")
            guard try lock.first?.get("held") == true else { return false }
            let still = try await connection.query(
                """
                SELECT id FROM captures WHERE id = \(capture.uuid) AND status = 'failed'
                    AND NOT EXISTS (SELECT FROM intakes WHERE intakes.id = captures.id OR intakes.brings = captures.id)
                    AND NOT EXISTS (
                        SELECT FROM sync_jobs WHERE sync_jobs.capture_id = captures.id AND synced_at > now() - interval '1 day')
                """)
            guard !still.isEmpty else { return false }
            try await work(connection)
            return true
        }
    }
}
