import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence

/// The queue in `reassessments`.
struct PostgresMeasurementQueue: MeasurementQueue {
    /// Longer than any video takes, decoded twice.
    static let leaseMinutes = 20
    let database: PostgresPool

    func take() async throws -> CaptureID? {
        try await database.query(
            """
            UPDATE reassessments SET taken_at = now() WHERE capture_id = (
                SELECT capture_id FROM reassessments WHERE settled_at IS NULL AND depth IS NULL
                    -- Ahead by more than a little: the clock was set back since.
                    AND (taken_at IS NULL
                        OR taken_at NOT BETWEEN now() - \(Self.leaseMinutes) * interval '1 minute' AND now() + interval '1 minute')
                ORDER BY requested_at LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING capture_id
            """
        ).first.map { CaptureID(try $0.get("capture_id", as: UUID.self)) }
    }

    func announcement(of capture: CaptureID) async throws -> CaptureAnnouncement? {
        try await database.query("SELECT announcement FROM captures WHERE id = \(capture.uuid) AND status = 'complete'").first.map {
            try CaptureAnnouncement(stored: $0.get("announcement", as: PostgresJSON.self))
        }
    }

    func save(_ findings: DepthFindings, of capture: CaptureID) async throws {
        _ = try await database.query(
            """
            UPDATE reassessments SET depth = \(PostgresJSON(encoding: findings))
            WHERE capture_id = \(capture.uuid) AND settled_at IS NULL AND depth IS NULL
            """)
    }

    func refuse(_ capture: CaptureID, _ reason: FailureReason) async throws {
        _ = try await database.query(
            """
            UPDATE reassessments SET settled_at = now(), outcome = \(reason.rawValue)
            WHERE capture_id = \(capture.uuid) AND settled_at IS NULL AND depth IS NULL
            """)
    }
}
