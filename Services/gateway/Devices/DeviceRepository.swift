import CaptureProtocol
import Foundation
import Persistence

/// A row of `devices`, as far as requests need it.
struct KnownDevice: Sendable {
    let id: DeviceID
    let requestKey: (algorithm: RequestKey.Algorithm, key: [UInt8])?
    /// X9.63; `nil` for an unverified device.
    let attestedKey: [UInt8]?
    let appID: String?
    let isRevoked: Bool
    /// Whether its key was attested.
    var isVerified: Bool { attestedKey != nil }
}

/// The devices that `attestation-verifier` registered.
struct DeviceRepository: Sendable {
    let database: PostgresPool

    /// - Returns: `nil` for an unknown device.
    func find(_ id: DeviceID) async throws -> KnownDevice? {
        let rows = try await database.query(
            """
            SELECT request_key_algorithm, request_key, public_key, app_id, revoked_at IS NOT NULL AS is_revoked
            FROM devices WHERE id = \(id.uuid)
            """)
        guard let row = rows.first else { return nil }
        let algorithm = try row.getOptional("request_key_algorithm", as: String.self).flatMap(RequestKey.Algorithm.init(rawValue:))
        let key = try row.getOptional("request_key", as: [UInt8].self)
        return KnownDevice(
            id: id, requestKey: algorithm.flatMap { algorithm in key.map { (algorithm, $0) } },
            attestedKey: try row.getOptional("public_key"), appID: try row.getOptional("app_id"), isRevoked: try row.get("is_revoked"))
    }
}
