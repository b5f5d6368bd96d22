import CaptureProtocol
import Delivery
import Foundation
import Logging
import Metrics
import Models
import Persistence

/// Announces captures again that stay in `processing` too long, from PostgreSQL: a broker that loses its log loses no capture. Captures
/// that failed for one of ``ownFaults`` are announced again too, a bounded number of times.
struct StuckCaptures {
    static let batchSize = 100
    /// Failures that are not the capture's fault, and how often they are retried automatically: over about two hours.
    static let ownFaults: [FailureReason] = [.handlingFailed, .processDied]
    static let maximumRepairs = 8
    let database: PostgresPool
    let outbox: Outbox
    let after: Duration
    /// How many times longer the wait before a video is announced again is (SPEC §10.8), since its processing takes longer.
    static let videoPatience = 5
    let logger: Logger

    /// Shows how long the oldest capture has been in `processing`.
    func measure() async throws {
        Meter(label: "rial_captures_processing_oldest_seconds").set(try await oldestSeconds())
    }

    /// - Returns: seconds since the oldest capture in `processing` was received; 0 if there is none.
    func oldestSeconds() async throws -> Double {
        let rows = try await database.query(
            """
            SELECT coalesce(extract(epoch FROM now() - min(uploaded_at)), 0)::float8 AS seconds FROM captures WHERE status = 'processing'
            """)
        return try rows.first?.get("seconds", as: Double.self) ?? 0
    }

    /// Announces the captures that are due, each under a new event id, and doubles the wait before the next announcement.
    func announce() async throws {
        let seconds = Double(after.components.seconds)
        let announced = try await database.withTransaction { connection in
            // One instance at a time; the others find nothing due.
            let lock = try await connection.query("SELECT pg_try_advisory_xact_lock(hashtext('rial-announce-again')) AS held")
            guard try lock.first?.get("held") == true else { return 0 }
            let rows = try await connection.query(
                """
                SELECT captures.id, type, capture_mode, (captures.status = 'failed')::int AS repairs
                FROM captures LEFT JOIN sync_jobs ON sync_jobs.capture_id = captures.id
                WHERE (captures.status = 'processing'
                        OR captures.status = 'failed' AND captures.failure = ANY(\(Self.ownFaults.map(\.rawValue)))
                            AND coalesce(sync_jobs.repairs, 0) < \(Self.maximumRepairs))
                    AND coalesce(sync_jobs.announce_next_at, captures.uploaded_at + make_interval(secs =>
                        CASE type WHEN 'video' THEN \(seconds * Double(Self.videoPatience)) ELSE \(seconds) END)) <= now()
                ORDER BY captures.uploaded_at LIMIT \(Self.batchSize)
                """)
            var announced = 0
            for row in rows {
                let id = CaptureID(try row.get("id", as: UUID.self))
                let repairs = try row.get("repairs", as: Int.self)
                let seconds =
                    try row.get("type", as: String.self) == CaptureType.video.rawValue ? seconds * Double(Self.videoPatience) : seconds
                // A kind that this version does not know is rescheduled like the others and blocks none of them.
                if let kind = CaptureKind(type: try row.get("type"), mode: try row.get("capture_mode")) {
                    try await outbox.append(kind.arrival(of: id), on: connection)
                    announced += 1
                } else {
                    logger.error("a capture of an unknown kind is not announced", metadata: ["capture_id": "\(id)"])
                }
                try await connection.query(
                    """
                    INSERT INTO sync_jobs (capture_id, announcements, repairs, announce_next_at)
                    VALUES (\(id.uuid), 1, \(repairs), now() + make_interval(secs => \(seconds * 2)))
                    ON CONFLICT (capture_id) DO UPDATE SET announcements = sync_jobs.announcements + 1, repairs = sync_jobs.repairs + EXCLUDED.repairs,
                        announce_next_at = now() + make_interval(secs =>
                            least(3600, \(seconds) * power(2, least(sync_jobs.announcements + 1, 12))))
                    """)
            }
            return announced
        }
        Counter(label: "rial_captures_announced_again_total").increment(by: announced)
        guard announced > 0 else { return }
        logger.notice("captures announced again", metadata: ["count": "\(announced)"])
    }
}
