import CaptureProtocol
import Foundation
import Logging
import Metrics
import ObjectStorage
import Persistence

/// Deletes intake that is no longer needed: that of captures an hour after they were complete, and that of uploads of which nothing came.
/// Rows lead to all of it (SPEC §5); nothing lists the bucket.
struct IntakeCleaner {
    static let batchSize = 100
    let database: PostgresPool
    let storage: any ObjectStore
    let logger: Logger

    /// An hour, because a database that fails over to one a little behind may ask for a capture's media again.
    func deleteFinished() async throws {
        while true {
            let captures = try await database.query(
                """
                SELECT sync_jobs.capture_id FROM sync_jobs JOIN captures ON captures.id = sync_jobs.capture_id
                WHERE sync_jobs.intake_deleted_at IS NULL AND sync_jobs.synced_at < now() - interval '1 hour'
                    AND captures.status = 'complete' AND captures.completed_at < now() - interval '1 hour'
                ORDER BY sync_jobs.synced_at LIMIT \(Self.batchSize)
                """
            ).map { CaptureID(try $0.get("capture_id", as: UUID.self)) }
            var deleted = 0
            for id in captures {
                do {
                    try await StoredPrefix.intake(of: id, in: storage).empty()
                    _ = try await database.query("UPDATE sync_jobs SET intake_deleted_at = now() WHERE capture_id = \(id.uuid)")
                    deleted += 1
                } catch {
                    logger.cleanUpFailed("finished intake", id, error)
                }
            }
            guard captures.count == Self.batchSize, deleted > 0, !Task.isCancelled else { return }
        }
    }

    /// What `intakes` names without a capture after 24 hours, and what was given up and could not be deleted then.
    func deleteAbandoned() async throws {
        // Brought again for a capture there is: its bytes are that capture's.
        _ = try await database.query(
            """
            DELETE FROM intakes USING captures WHERE captures.id = intakes.id AND intakes.created_at < now() - interval '24 hours'
            """)
        while try await deleteAbandonedBatch(), !Task.isCancelled {}
    }

    /// - Returns: whether there may be more that can be deleted.
    private func deleteAbandonedBatch() async throws -> Bool {
        // Marked first: nothing can be recorded from it any more. Those that failed before come after the others.
        let abandoned = try await database.query(
            """
            UPDATE intakes SET abandoned_at = now() WHERE id IN (
                SELECT id FROM intakes
                WHERE (created_at < now() - interval '24 hours' AND abandoned_at IS NULL AND brings IS NULL OR abandoned_at < now() - interval '10 minutes')
                    AND NOT EXISTS (SELECT FROM captures WHERE captures.id = intakes.id)
                ORDER BY abandoned_at NULLS FIRST, created_at LIMIT \(Self.batchSize) FOR UPDATE SKIP LOCKED)
            RETURNING id, prefix
            """
        ).map { (id: CaptureID(try $0.get("id", as: UUID.self)), prefix: try $0.get("prefix", as: String.self)) }
        var swept = 0
        for (id, prefix) in abandoned {
            do {
                try await StoredPrefix(storage: storage, text: prefix).empty()
                _ = try await database.query("DELETE FROM intakes WHERE id = \(id.uuid)")
                Counter(label: "rial_intakes_swept_total").increment()
                swept += 1
            } catch {
                logger.cleanUpFailed("abandoned intake", id, error)
            }
        }
        if !abandoned.isEmpty { logger.notice("abandoned uploads swept", metadata: ["count": "\(swept)"]) }
        return abandoned.count == Self.batchSize && swept > 0
    }
}
