import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence

/// The withdrawals in `withdrawals`, which the database's function `rial_withdraw` inserts.
struct PostgresErasureRepository: ErasureRepository {
    let database: PostgresPool
    let inbox: Inbox

    func isWithdrawn(_ capture: CaptureID) async throws -> Bool {
        try await !database.query("SELECT capture_id FROM withdrawals WHERE capture_id = \(capture.uuid)").isEmpty
    }

    func due(limit: Int) async throws -> [CaptureID] {
        try await database.query(
            """
            UPDATE withdrawals SET erase_next_at = now() + interval '1 minute' WHERE capture_id IN (
                SELECT capture_id FROM withdrawals WHERE erase_next_at <= now()
                ORDER BY erased_at IS NOT NULL, erase_next_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
            RETURNING capture_id
            """
        ).map { CaptureID(try $0.get("capture_id", as: UUID.self)) }
    }

    func begin(_ capture: CaptureID) async throws -> ErasureLook {
        let rows = try await database.query(
            "SELECT upload_ids, erase_next_at::text AS version FROM withdrawals WHERE capture_id = \(capture.uuid)")
        guard let row = rows.first else { throw RejectedMessage(.captureUnknown) }
        return ErasureLook(uploads: try row.get("upload_ids"), version: try row.get("version"))
    }

    func note(_ capture: CaptureID, _ look: ErasureLook, found: Int, answering context: MessageContext?) async throws {
        let isFound = found > 0
        try await database.withTransaction { connection in
            try await connection.query(
                """
                UPDATE withdrawals SET found_at = last.found, erased_at = CASE
                        WHEN \(isFound) THEN NULL
                        WHEN quiet > interval '1 hour' THEN coalesce(erased_at, now()) END,
                    erase_next_at = now() + CASE
                        WHEN NOT \(isFound) AND quiet > interval '1 hour' THEN least(interval '30 days', greatest(interval '1 day', quiet))
                        ELSE least(interval '10 minutes', greatest(interval '5 seconds', quiet)) END
                FROM (SELECT found, now() - coalesce(found, withdrawn_at) AS quiet
                    FROM (SELECT withdrawn_at, CASE WHEN \(isFound) THEN now() ELSE found_at END AS found
                        FROM withdrawals WHERE capture_id = \(capture.uuid)) AS looked) AS last
                WHERE capture_id = \(capture.uuid) AND (\(isFound) OR erase_next_at::text = \(look.version))
                """)
            if let context { _ = try await inbox.accept(context.eventID, consumer: context.topic, on: connection) }
        }
    }

    func measure() async throws -> (open: Int64, seconds: Double) {
        let rows = try await database.query(
            """
            SELECT count(*) AS open, coalesce(extract(epoch FROM now() - min(opened_at)), 0)::float8 AS seconds
            FROM withdrawals WHERE erased_at IS NULL
            """)
        return (try rows.first?.get("open", as: Int64.self) ?? 0, try rows.first?.get("seconds", as: Double.self) ?? 0)
    }
}
