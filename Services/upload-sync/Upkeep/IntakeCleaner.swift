import Foundation
import Logging
import Metrics
import Models
import ObjectStorage
import Persistence

/// Deletes what is no longer needed: the intake of complete captures, intake that no capture names after 7 days, and derived
/// objects that no row names after a day.
struct IntakeCleaner {
    static let batchSize = 100
    static let abandonedAfter: TimeInterval = 7 * 86_400
    static let unnamedAfter: TimeInterval = 86_400
    let database: PostgresPool
    let storage: S3Client
    let logger: Logger

    func deleteFinished() async throws {
        let captures = try await database.query(
            """
            SELECT sync_jobs.capture_id FROM sync_jobs JOIN captures ON captures.id = sync_jobs.capture_id
            WHERE sync_jobs.intake_deleted_at IS NULL AND sync_jobs.synced_at IS NOT NULL AND captures.status = 'complete'
            ORDER BY sync_jobs.synced_at LIMIT \(Self.batchSize)
            """
        ).map { try $0.get("capture_id", as: UUID.self) }
        for id in captures {
            try await storage.delete(try await keys(under: "incoming/\(CaptureID(id))/"))
            _ = try await database.query("UPDATE sync_jobs SET intake_deleted_at = now() WHERE capture_id = \(id)")
        }
    }

    /// Walks the bucket page by page; what is young stays, whatever it is.
    func deleteAbandoned() async throws {
        try await sweep("incoming/", olderThan: Self.abandonedAfter) { keys in
            let ids = keys.compactMap { Self.captureID(in: $0)?.uuid }
            let rows = try await database.query("SELECT id FROM captures WHERE id = ANY(\(ids))")
            let known = Set(try rows.map { CaptureID(try $0.get("id", as: UUID.self)) })
            return keys.filter { key in Self.captureID(in: key).map { !known.contains($0) } ?? false }
        }
        try await sweep("captures/", olderThan: Self.unnamedAfter) { keys in
            let ids = keys.compactMap { Self.captureID(in: $0)?.uuid }
            let named = Set(
                try await database.query(
                    """
                    SELECT object_key FROM media_objects WHERE object_key = ANY(\(keys))
                    """
                ).map { try $0.get("object_key", as: String.self) })
            // Captures that are not complete may still come to name what they made.
            let complete = Set(
                try await database.query(
                    """
                    SELECT id FROM captures WHERE id = ANY(\(ids)) AND status = 'complete'
                    """
                ).map { CaptureID(try $0.get("id", as: UUID.self)) })
            return keys.filter { key in
                !named.contains(key) && (Self.captureID(in: key).map(complete.contains) ?? false)
            }
        }
    }

    private func sweep(
        _ prefix: String, olderThan age: TimeInterval, choose: ([String]) async throws -> [String]
    ) async throws {
        let limit = Date().addingTimeInterval(-age)
        var continuation: String?
        repeat {
            let page = try await storage.list(prefix: prefix, continuation: continuation)
            let old = page.objects.filter { ($0.lastModified ?? .distantFuture) < limit }.map(\.key)
            let doomed = old.isEmpty ? [] : try await choose(old)
            if !doomed.isEmpty {
                try await storage.delete(doomed)
                Counter(label: "rial_objects_swept_total").increment(by: doomed.count)
                logger.notice("objects swept", metadata: ["prefix": "\(prefix)", "count": "\(doomed.count)"])
            }
            continuation = page.continuation
        } while continuation != nil
    }

    private func keys(under prefix: String) async throws -> [String] {
        try await storage.list(prefix: prefix, continuation: nil).objects.map(\.key)
    }

    private static func captureID(in key: String) -> CaptureID? {
        let parts = key.split(separator: "/")
        return parts.count > 2 ? CaptureID(String(parts[1])) : nil
    }
}
