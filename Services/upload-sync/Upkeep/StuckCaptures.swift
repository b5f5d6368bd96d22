import Foundation
import Logging
import Metrics
import Models
import Persistence
import Pipeline

/// Announces again, from PostgreSQL, what stays in `processing` too long: a broker that loses its log loses no capture.
struct StuckCaptures {
    static let batchSize = 100
    let database: PostgresPool
    let outbox: Outbox
    let after: Duration
    let logger: Logger

    /// Announces captures whose time has come, each under a new event id, and doubles the wait for the next time.
    func announce() async throws {
        let seconds = Double(after.components.seconds)
        let announced = try await database.withTransaction { connection in
            // One instance at a time; the others find nothing due.
            let lock = try await connection.query("SELECT pg_try_advisory_xact_lock(hashtext('rial-announce-again')) AS held")
            guard try lock.first?.get("held") == true else { return 0 }
            let rows = try await connection.query(
                """
                SELECT captures.id::text AS id, captures.announcement FROM captures LEFT JOIN sync_jobs ON sync_jobs.capture_id = captures.id
                WHERE captures.status = 'processing'
                    AND coalesce(sync_jobs.announce_next_at, captures.uploaded_at + make_interval(secs => \(seconds))) <= now()
                ORDER BY captures.uploaded_at LIMIT \(Self.batchSize)
                """)
            for row in rows {
                let event = try row.get("announcement", as: PostgresJSON.self).decode(CaptureReceived.self)
                try await outbox.append(event, on: connection)
                try await connection.query(
                    """
                    INSERT INTO sync_jobs (capture_id, announcements, announce_next_at)
                    VALUES (\(event.captureID.uuid), 1, now() + make_interval(secs => \(seconds * 2)))
                    ON CONFLICT (capture_id) DO UPDATE SET announcements = sync_jobs.announcements + 1,
                        announce_next_at = now() + make_interval(secs =>
                            least(3600, \(seconds) * power(2, least(sync_jobs.announcements + 1, 12))))
                    """)
            }
            return rows.count
        }
        guard announced > 0 else { return }
        Counter(label: "rial_captures_announced_again_total").increment(by: announced)
        logger.notice("captures announced again", metadata: ["count": "\(announced)"])
    }
}
