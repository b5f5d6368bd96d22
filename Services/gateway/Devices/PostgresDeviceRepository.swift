import CaptureProtocol
import Foundation
import Persistence

/// The devices in `devices`.
struct PostgresDeviceRepository: DeviceRepository {
    let database: PostgresPool

    func find(_ id: DeviceID) async throws -> KnownDevice? {
        let rows = try await database.query(
            """
            SELECT request_key_algorithm, request_key, public_key, app_id, revoked_at IS NOT NULL AS is_revoked
            FROM devices WHERE id = \(id.uuid)
            """)
        guard let row = rows.first else { return nil }
        let algorithm = try row.wordIfPresent("request_key_algorithm", as: RequestKey.Algorithm.self)
        let key = try row.getOptional("request_key", as: [UInt8].self)
        return KnownDevice(
            id: id, requestKey: algorithm.flatMap { algorithm in key.map { (algorithm, $0) } },
            attestedKey: try row.getOptional("public_key"), appID: try row.getOptional("app_id"), isRevoked: try row.get("is_revoked"))
    }
}
