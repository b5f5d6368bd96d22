import CaptureProtocol
import Foundation
import Models
import Persistence

/// The outcomes in `registrations`.
struct PostgresRegistrationRepository: RegistrationRepository {
    let database: PostgresPool

    func find(_ id: RegistrationID) async throws -> RegistrationRecord? {
        let rows = try await database.query(
            """
            SELECT outcome, device_id, attestation_level, has_lidar, registrations.attestation_failure
            FROM registrations LEFT JOIN devices ON devices.id = device_id WHERE registrations.id = \(id.uuid)
            """)
        guard let row = rows.first else { return nil }
        let outcome = try row.word("outcome", as: RegistrationOutcome.self)
        guard let device = try row.getOptional("device_id", as: UUID.self) else {
            return RegistrationRecord(outcome: outcome, device: nil)
        }
        return RegistrationRecord(
            outcome: outcome,
            device: RegistrationResult(
                deviceID: DeviceID(device), attestationLevel: try row.word("attestation_level"),
                hasLiDAR: try row.get("has_lidar"), attestationFailure: try row.getOptional("attestation_failure")))
    }
}
