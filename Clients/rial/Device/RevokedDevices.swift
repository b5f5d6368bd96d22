import CaptureProtocol
import Foundation
import Persistence

/// A device that an operator revoked and did not restore.
struct RevokedDevice: Sendable, Equatable {
    let id: DeviceID
    let revokedAt: Date
    /// From when on its captures are revoked, too; `nil` if none is.
    let since: Date?
    /// Who revoked it last, and why.
    let by: String?
    let reason: String?
}

/// The rows in `devices` and `device_events`, which attestation-verifier writes.
struct RevokedDevices {
    let connection: PostgresConnection

    /// In the order in which they were revoked.
    func all() async throws -> [RevokedDevice] {
        // The earliest time counts, as it does for evidence-assembler: of what was decided since the device was restored last.
        try await connection.query(
            """
            SELECT devices.id, devices.revoked_at, last.by, last.reason, (
                SELECT min(since) FROM device_events AS event WHERE event.device_id = devices.id AND event.id > coalesce(
                    (SELECT max(id) FROM device_events AS restored WHERE restored.device_id = devices.id AND action = 'restored'), 0)
            ) AS since
            FROM devices LEFT JOIN LATERAL (
                SELECT by, reason FROM device_events AS event WHERE event.device_id = devices.id AND action = 'revoked'
                ORDER BY event.id DESC LIMIT 1
            ) AS last ON true
            WHERE devices.revoked_at IS NOT NULL ORDER BY devices.revoked_at, devices.id
            """
        ).map { row in
            RevokedDevice(
                id: DeviceID(try row.get("id", as: UUID.self)), revokedAt: try row.get("revoked_at"), since: try row.getOptional("since"),
                by: try row.getOptional("by"), reason: try row.getOptional("reason"))
        }
    }
}
