import CaptureProtocol
import Models
import Persistence

/// What registrations ask for, and the outcome of each; `failed` is not final.
struct RegistrationRepository {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Makes a second delivery of the same registration wait for the first, until the transaction ends.
    func lock(_ registration: RegistrationID) async throws {
        try await connection.query("SELECT pg_advisory_xact_lock(hashtextextended(\(registration.description), 0))")
    }

    /// From the row of its challenge; `nil` if nobody submitted it.
    func submission(_ registration: RegistrationID) async throws -> RegistrationSubmission? {
        let rows = try await connection.query("SELECT submission FROM challenges WHERE registration_id = \(registration.uuid)")
        guard let json = try rows.first?.getOptional("submission", as: PostgresJSON.self) else { return nil }
        do {
            return try json.decode(RegistrationSubmission.self)
        } catch {
            throw RejectedMessage(.registrationUnreadable, detail: "\(error)")
        }
    }

    /// Whether anybody asked for it, in words that this version may not know.
    func isSubmitted(_ registration: RegistrationID) async throws -> Bool {
        try await !connection.query(
            "SELECT 1 FROM challenges WHERE registration_id = \(registration.uuid) AND submission IS NOT NULL"
        ).isEmpty
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
            ON CONFLICT (id) DO UPDATE SET outcome = EXCLUDED.outcome, device_id = EXCLUDED.device_id,
                attestation_failure = EXCLUDED.attestation_failure
            WHERE registrations.outcome = 'failed'
            """)
    }
}
