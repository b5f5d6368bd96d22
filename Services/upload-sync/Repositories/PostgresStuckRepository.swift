import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence

/// Captures in `captures`, their next announcements in `sync_jobs`.
struct PostgresStuckRepository: StuckRepository {
    let database: PostgresPool
    let outbox: Outbox

    func oldestSeconds() async throws -> Double {
        let rows = try await database.query(
            """
            SELECT coalesce(extract(epoch FROM now() - min(uploaded_at)), 0)::float8 AS seconds FROM captures WHERE status = 'processing'
            """)
        return try rows.first?.get("seconds", as: Double.self) ?? 0
    }

    func announceDue(after: Duration, limit: Int) async throws -> [StuckCapture] {
        let seconds = after.components.seconds
        return try await database.withTransaction { connection in
            // One instance at a time; the others find nothing due.
            let lock = try await connection.query("SELECT pg_try_advisory_xact_lock(hashtext('rial-announce-again')) AS held")
            guard try lock.first?.get("held") == true else { return [] }
            let stalled = try await stalledKinds(longerThan: after, on: connection)
            let rows = try await connection.query(
                """
                SELECT captures.id, type, capture_mode, (captures.status = 'failed')::int AS repairs
                FROM captures LEFT JOIN sync_jobs ON sync_jobs.capture_id = captures.id
                WHERE (captures.status = 'processing'
                        OR captures.status = 'failed' AND captures.failure = ANY(\(StuckCaptures.ownFaults.map(\.rawValue)))
                            AND coalesce(sync_jobs.repairs, 0) < \(StuckCaptures.maximumRepairs))
                    AND (coalesce(sync_jobs.announce_next_at, captures.uploaded_at + make_interval(secs =>
                        CASE type WHEN 'video' THEN \(Double(seconds * StuckCaptures.videoFactor)) ELSE \(Double(seconds)) END)) <= now()
                        -- Further ahead than the longest wait, since the clock was set back.
                        OR coalesce(sync_jobs.announce_next_at, captures.uploaded_at) > now() + interval '61 minutes')
                    AND (type, capture_mode) NOT IN (
                        SELECT * FROM unnest(\(stalled.map(\.type.rawValue)), \(stalled.map(\.mode.rawValue))))
                ORDER BY captures.uploaded_at LIMIT \(limit)
                """)
            let due = try rows.map { row in
                StuckCapture(
                    id: CaptureID(try row.get("id", as: UUID.self)),
                    kind: CaptureKind(type: try row.get("type"), mode: try row.get("capture_mode")))
            }
            guard !due.isEmpty else { return [] }
            let arrivals: [any Event] = due.compactMap { capture in capture.kind?.arrival(of: capture.id) }
            try await outbox.append(arrivals, on: connection)
            let waits = try rows.map { row in
                try row.get("type", as: String.self) == CaptureType.video.rawValue ? seconds * StuckCaptures.videoFactor : seconds
            }
            let repairs = try rows.map { try $0.get("repairs", as: Int64.self) }
            try await connection.query(
                """
                INSERT INTO sync_jobs (capture_id, announcements, repairs, announce_next_at)
                SELECT id, 1, repairs, now() + least(interval '1 hour', make_interval(secs => wait * 2))
                FROM unnest(\(due.map(\.id.uuid)), \(repairs), \(waits)) AS announced (id, repairs, wait)
                ON CONFLICT (capture_id) DO UPDATE SET announcements = sync_jobs.announcements + 1,
                    repairs = sync_jobs.repairs + EXCLUDED.repairs, announce_next_at = now() + least(interval '1 hour',
                        (EXCLUDED.announce_next_at - now()) * power(2, least(sync_jobs.announcements, 11)))
                """)
            return due
        }
    }

    /// The kinds of which an announcement has been waiting for the broker: until it is published, another one would only wait with it.
    private nonisolated(nonsending) func stalledKinds(
        longerThan age: Duration, on connection: PostgresConnection
    ) async throws -> [CaptureKind] {
        let kinds = Dictionary(grouping: CaptureKind.allCases) { type(of: $0.arrival(of: CaptureID())).topic }
        let stalled = try await outbox.stalled(of: Set(kinds.keys), longerThan: age, on: connection)
        return stalled.flatMap { kinds[$0] ?? [] }
    }
}
