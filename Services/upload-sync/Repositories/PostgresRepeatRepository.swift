import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence

/// Uploads in `intakes` that name the capture whose bytes they bring; in `sync_jobs`, when they did.
struct PostgresRepeatRepository: RepeatRepository {
    /// Enough for the store to copy one object of a video, 100 MB.
    private static let longestCopy = Duration.seconds(600)
    let database: PostgresPool
    let outbox: Outbox

    func waiting(limit: Int, excluding paused: Set<CaptureID>) async throws -> [CaptureID] {
        try await database.query(
            """
            SELECT id FROM intakes WHERE brings IS NOT NULL AND abandoned_at IS NULL AND id <> ALL(\(paused.map(\.uuid)))
            ORDER BY created_at LIMIT \(limit)
            """
        ).map { CaptureID(try $0.get("id", as: UUID.self)) }
    }

    func bring(
        _ upload: CaptureID, copy: @escaping @Sendable (CaptureAnnouncement, CaptureStatus) async throws -> Bool
    ) async throws -> Bool {
        try await database.withTransaction { connection in
            let rows = try await connection.query(
                """
                SELECT brings FROM intakes WHERE id = \(upload.uuid) AND brings IS NOT NULL AND abandoned_at IS NULL
                    AND NOT EXISTS (SELECT FROM captures WHERE captures.id = intakes.id) FOR UPDATE SKIP LOCKED
                """)
            guard let row = rows.first else { return false }
            let capture = CaptureID(try row.get("brings", as: UUID.self))
            try await connection.lock(capture: capture)
            let known = try await connection.query("SELECT status, announcement FROM captures WHERE id = \(capture.uuid)").first
            let status = try known?.word("status", as: CaptureStatus.self)
            if let known, let status, status == .processing || status == .failed {
                let announcement = try CaptureAnnouncement(stored: known.get("announcement", as: PostgresJSON.self))
                try await connection.mayIdle(for: Self.longestCopy)
                if try await copy(announcement, status) {
                    try await outbox.append(announcement.arrival, on: connection)
                    try await noteBrought(capture, on: connection)
                }
                // It may have been withdrawn during the copy.
                try await connection.objectsCameLate(of: capture)
            }
            try await connection.query("UPDATE intakes SET abandoned_at = now() WHERE id = \(upload.uuid)")
            return true
        }
    }

    /// Notes that the media came now, so that they do not expire for a day: the upload, which keeps them until here, is forgotten before
    /// they are compared. Without a result and a failure the row says nothing of the comparison.
    private nonisolated(nonsending) func noteBrought(_ capture: CaptureID, on connection: PostgresConnection) async throws {
        try await connection.query(
            """
            INSERT INTO sync_jobs (capture_id, synced_at) VALUES (\(capture.uuid), now())
            ON CONFLICT (capture_id) DO UPDATE SET synced_at = now()
            """)
    }

    func forget(_ upload: CaptureID) async throws {
        _ = try await database.query("DELETE FROM intakes WHERE id = \(upload.uuid)")
    }
}
