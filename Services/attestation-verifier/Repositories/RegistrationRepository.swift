import Models
import Persistence

/// The first outcome of each registration.
struct RegistrationRepository {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Makes a second delivery of the same registration wait for the first, until the transaction ends.
    func lock(_ registration: RegistrationID) async throws {
        try await connection.query("SELECT pg_advisory_xact_lock(hashtextextended(\(registration.description), 0))")
    }

    func outcome(of registration: RegistrationID) async throws -> RegistrationOutcome? {
        let rows = try await connection.query("SELECT outcome FROM registrations WHERE id = \(registration.uuid)")
        return try rows.first.flatMap { RegistrationOutcome(rawValue: try $0.get("outcome")) }
    }

    func save(
        _ registration: RegistrationID, outcome: RegistrationOutcome, device: DeviceID?, failure: String?
    ) async throws {
        try await connection.query(
            """
            INSERT INTO registrations (id, outcome, device_id, attestation_failure)
            VALUES (\(registration.uuid), \(outcome.rawValue), \(device?.uuid), \(failure))
            """)
    }
}
