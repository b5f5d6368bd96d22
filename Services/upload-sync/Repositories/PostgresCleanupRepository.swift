import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence

/// Finds objects to delete, by `captures`, `intakes`, `media_objects` and `sync_jobs`.
struct PostgresCleanupRepository: IntakeCleanupRepository, DerivedRepository, ExpiryRepository, LegacyIntakeRepository {
    /// Enough for a slow store to list and delete the objects of a capture.
    private static let longestDeletion = Duration.seconds(600)
    let database: PostgresPool

    func finished(limit: Int) async throws -> [CaptureID] {
        try await database.query(
            """
            SELECT sync_jobs.capture_id FROM sync_jobs JOIN captures ON captures.id = sync_jobs.capture_id
            WHERE sync_jobs.intake_deleted_at IS NULL AND sync_jobs.synced_at < now() - interval '1 hour'
                AND captures.status = 'complete' AND captures.completed_at < now() - interval '1 hour'
            ORDER BY sync_jobs.synced_at LIMIT \(limit)
            """
        ).map { CaptureID(try $0.get("capture_id", as: UUID.self)) }
    }

    func noteDeleted(_ capture: CaptureID) async throws {
        _ = try await database.query("UPDATE sync_jobs SET intake_deleted_at = now() WHERE capture_id = \(capture.uuid)")
    }

    func noteIntake(of capture: CaptureID) async throws {
        _ = try await database.query(
            """
            INSERT INTO sync_jobs (capture_id, intake_deleted_at) VALUES (\(capture.uuid), NULL)
            ON CONFLICT (capture_id) DO UPDATE SET intake_deleted_at = NULL
            """)
    }

    func forgetRecorded() async throws {
        _ = try await database.query(
            """
            DELETE FROM intakes USING captures WHERE captures.id = intakes.id AND intakes.created_at < now() - interval '24 hours'
            """)
    }

    func abandon(limit: Int) async throws -> [(id: CaptureID, prefix: String)] {
        try await database.query(
            """
            UPDATE intakes SET abandoned_at = now() WHERE id IN (
                SELECT id FROM intakes
                WHERE (created_at < now() - interval '24 hours' AND abandoned_at IS NULL AND brings IS NULL
                        OR abandoned_at < now() - interval '10 minutes')
                    AND NOT EXISTS (SELECT FROM captures WHERE captures.id = intakes.id)
                ORDER BY abandoned_at NULLS FIRST, created_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
            RETURNING id, prefix
            """
        ).map { (id: CaptureID(try $0.get("id", as: UUID.self)), prefix: try $0.get("prefix", as: String.self)) }
    }

    func forget(_ upload: CaptureID) async throws {
        _ = try await database.query("DELETE FROM intakes WHERE id = \(upload.uuid)")
    }

    func unswept(limit: Int) async throws -> [CaptureID] {
        try await database.query(
            """
            SELECT sync_jobs.capture_id FROM sync_jobs JOIN captures ON captures.id = sync_jobs.capture_id
            WHERE sync_jobs.derived_swept_at IS NULL AND sync_jobs.synced_at < now() - interval '1 day'
                AND captures.status = 'complete' AND captures.completed_at < now() - interval '1 day'
                AND captures.evidence #>> '{content_credentials,status}' IS DISTINCT FROM 'pending'
            ORDER BY sync_jobs.synced_at LIMIT \(limit)
            """
        ).map { CaptureID(try $0.get("capture_id", as: UUID.self)) }
    }

    func objectKeys(of capture: CaptureID) async throws -> Set<String> {
        Set(
            try await database.query("SELECT object_key FROM media_objects WHERE capture_id = \(capture.uuid)")
                .map { try $0.get("object_key", as: String.self) })
    }

    func noteSwept(_ capture: CaptureID) async throws {
        _ = try await database.query("UPDATE sync_jobs SET derived_swept_at = now() WHERE capture_id = \(capture.uuid)")
    }

    func expired(limit: Int) async throws -> [CaptureID] {
        try await database.query(
            """
            SELECT captures.id FROM captures JOIN devices ON devices.id = captures.device_id
            LEFT JOIN sync_jobs ON sync_jobs.capture_id = captures.id
            WHERE captures.status = 'failed' AND captures.uploaded_at < now() - interval '30 days'
                AND devices.attestation_level = 'unverified'
                AND (sync_jobs.media_expired_at IS NULL
                    OR sync_jobs.media_expired_at < now() - interval '30 days' AND sync_jobs.synced_at > sync_jobs.media_expired_at)
                AND (sync_jobs.synced_at IS NULL OR sync_jobs.synced_at <= now() - interval '1 day')
                AND NOT EXISTS (SELECT FROM intakes WHERE intakes.id = captures.id)
                AND NOT EXISTS (SELECT FROM intakes WHERE intakes.brings = captures.id)
            ORDER BY captures.uploaded_at LIMIT \(limit)
            """
        ).map { CaptureID(try $0.get("id", as: UUID.self)) }
    }

    func forgetMedia(of capture: CaptureID) async throws -> Bool {
        try await whileFailed(capture) { connection in
            // Without the time of an earlier deletion: it is due again if this one fails.
            try await connection.query(
                "UPDATE sync_jobs SET result = NULL, synced_at = NULL, media_expired_at = NULL WHERE capture_id = \(capture.uuid)")
        }
    }

    func expire(_ capture: CaptureID, delete: @escaping @Sendable () async throws -> Void) async throws -> Bool {
        try await whileFailed(capture) { connection in
            try await connection.mayIdle(for: Self.longestDeletion)
            try await delete()
            try await connection.query(
                """
                INSERT INTO sync_jobs (capture_id, media_expired_at) VALUES (\(capture.uuid), now())
                ON CONFLICT (capture_id) DO UPDATE SET media_expired_at = now()
                """)
        }
    }

    /// Runs `work` in a transaction that holds the capture's advisory lock.
    /// - Returns: false, without running `work`, if another transaction holds the lock, or unless the capture is failed, no repeated upload
    ///   is pending for it, and its media were neither synced nor brought again in the last day.
    private func whileFailed(
        _ capture: CaptureID, _ work: @escaping @Sendable (_ connection: PostgresConnection) async throws -> Void
    ) async throws -> Bool {
        try await database.withTransaction { connection in
            guard try await connection.tryLock(capture: capture) else { return false }
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
