import CaptureProtocol
import Foundation
import Logging
import ObjectStorage
import Persistence

/// Deletes what was made of a capture and is named by no row, a day after the capture was complete: of two workers both may have stored
/// theirs. Once a capture; `sync_jobs` says for which it was done.
struct DerivedSweeper {
    static let batchSize = 100
    static let youth: TimeInterval = 86_400
    let database: PostgresPool
    let storage: any ObjectStore
    let logger: Logger

    func sweep() async throws {
        while true {
            // Content Credentials that still wait for their time stamp will come to name what they made.
            let captures = try await database.query(
                """
                SELECT sync_jobs.capture_id FROM sync_jobs JOIN captures ON captures.id = sync_jobs.capture_id
                WHERE sync_jobs.derived_swept_at IS NULL AND sync_jobs.synced_at < now() - interval '1 day'
                    AND captures.status = 'complete' AND captures.completed_at < now() - interval '1 day'
                    AND captures.evidence #>> '{content_credentials,status}' IS DISTINCT FROM 'pending'
                ORDER BY sync_jobs.synced_at LIMIT \(Self.batchSize)
                """
            ).map { CaptureID(try $0.get("capture_id", as: UUID.self)) }
            var swept = 0
            for id in captures {
                do {
                    if try await sweep(id) { swept += 1 }
                } catch {
                    logger.cleanUpFailed("derived objects", id, error)
                }
            }
            guard captures.count == Self.batchSize, swept > 0, !Task.isCancelled else { return }
        }
    }

    /// - Returns: false if something is too young to be judged; the capture is looked at again.
    private func sweep(_ capture: CaptureID) async throws -> Bool {
        let stored = StoredPrefix.media(of: capture, in: storage)
        // The objects first: what is named between the two questions is not taken for unnamed.
        let objects = try await stored.objects()
        let named = Set(
            try await database.query("SELECT object_key FROM media_objects WHERE capture_id = \(capture.uuid)")
                .map { try $0.get("object_key", as: String.self) })
        let unnamed = objects.filter { !named.contains($0.key) }
        let limit = Date().addingTimeInterval(-Self.youth)
        let old = unnamed.filter { ($0.lastModified ?? .distantFuture) < limit }
        try await stored.delete(old.map(\.key))
        guard old.count == unnamed.count else { return false }
        _ = try await database.query("UPDATE sync_jobs SET derived_swept_at = now() WHERE capture_id = \(capture.uuid)")
        return true
    }
}
