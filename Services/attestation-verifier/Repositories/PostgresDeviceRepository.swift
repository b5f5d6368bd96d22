import Attestation
import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence

/// Devices in `devices`; operator actions in `device_events`, which is append-only.
struct PostgresDeviceRepository: DeviceRepository {
    /// The newest events are returned.
    static let maximumEvents = 1000
    let database: PostgresPool
    let outbox: Outbox

    func find(_ id: DeviceID) async throws -> Device? {
        let rows = try await database.query(
            """
            SELECT model, has_lidar, attestation_level, environment, app_id, public_key, is_development_root, validation_category,
                bundle_version, sha256(attestation_object) AS attestation_sha256, revoked_at IS NOT NULL AS is_revoked
            FROM devices WHERE id = \(id.uuid)
            """)
        guard let row = rows.first else { return nil }
        return Device(
            id: id, model: try row.get("model"), hasLiDAR: try row.get("has_lidar"),
            attestationDigest: try row.digest("attestation_sha256"),
            registered: RegisteredDevice(
                level: try row.word("attestation_level"),
                isRevoked: try row.get("is_revoked"), publicKey: try row.getOptional("public_key"), appID: try row.getOptional("app_id"),
                environment: try row.getOptional("environment"), isDevelopmentRoot: try row.get("is_development_root"),
                validationCategory: try row.getOptional("validation_category", as: Int64.self).flatMap(UInt32.init(exactly:)),
                bundleVersion: try row.getOptional("bundle_version")))
    }

    /// Revoking twice keeps the first revocation time.
    func apply(_ action: DeviceAction, to id: DeviceID, _ note: OperatorNote) async throws -> Bool {
        try await database.withTransaction { connection in
            let change: SQL =
                switch action {
                case .revoked: "UPDATE devices SET revoked_at = coalesce(revoked_at, now()) WHERE id = \(id.uuid) RETURNING id"
                case .restored: "UPDATE devices SET revoked_at = NULL WHERE id = \(id.uuid) RETURNING id"
                }
            guard try await !connection.query(change).isEmpty else { return false }
            try await connection.query(
                """
                INSERT INTO device_events (device_id, action, by, reason, since)
                VALUES (\(id.uuid), \(action.rawValue), \(note.by), \(note.reason), \(note.since))
                """)
            try await outbox.append(DeviceRevoked(deviceID: id), on: connection)
            return true
        }
    }

    func events(of id: DeviceID) async throws -> [DeviceEvent]? {
        try await database.withConnection { connection in
            guard try await !connection.query("SELECT id FROM devices WHERE id = \(id.uuid)").isEmpty else { return nil }
            let rows = try await connection.query(
                """
                SELECT action, at, by, reason, since FROM device_events WHERE device_id = \(id.uuid)
                ORDER BY id DESC LIMIT \(Self.maximumEvents)
                """)
            return try rows.map { row in
                DeviceEvent(
                    action: try row.word("action"), at: try row.get("at"), by: try row.get("by"), reason: try row.getOptional("reason"),
                    since: try row.getOptional("since"))
            }
        }
    }
}
