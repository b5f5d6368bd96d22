import Attestation
import CaptureProtocol
import Delivery
import Foundation
import Models
import Observability
import Persistence

/// Submissions in `challenges`, outcomes in `registrations`, devices in `devices`.
struct PostgresRegistrationRepository: RegistrationRepository {
    let database: PostgresPool
    let outbox: Outbox
    let inbox: Inbox

    /// Reads it from the row of its challenge.
    func submission(_ registration: RegistrationID) async throws -> RegistrationSubmission? {
        let rows = try await database.query("SELECT submission FROM challenges WHERE registration_id = \(registration.uuid)")
        guard let json = try rows.first?.getOptional("submission", as: PostgresJSON.self) else { return nil }
        do {
            return try json.decode(RegistrationSubmission.self)
        } catch {
            throw RejectedMessage(.registrationUnreadable, detail: "\(error)")
        }
    }

    func save(
        _ finding: RegistrationFinding, of submission: RegistrationSubmission, answering context: MessageContext
    ) async throws -> RegistrationOutcome? {
        let id = submission.registrationID
        let outcome = try await database.withTransaction { connection -> RegistrationOutcome? in
            guard try await inbox.accept(context.eventID, consumer: context.topic, on: connection) else { return nil }
            let table = RegistrationTable(connection)
            try await table.lock(id)
            let known = try await table.outcome(of: id)
            let outcome =
                if let known, known != .failed { known } else { try await record(finding, submission, in: table) }
            FailPoint.reached("attestation-verifier.registration.stored")
            try await outbox.append(RegistrationAppraised(registrationID: id, outcome: outcome), on: connection)
            FailPoint.reached("attestation-verifier.registration.announced")
            return outcome
        }
        FailPoint.reached("attestation-verifier.registration.committed")
        return outcome
    }

    func announceAgain(_ registration: RegistrationID, answering context: MessageContext) async throws -> Bool {
        try await database.withTransaction { connection in
            // Not locked: an outcome other than `failed` does not change.
            guard let outcome = try await RegistrationTable(connection).outcome(of: registration), outcome != .failed else { return false }
            if try await inbox.accept(context.eventID, consumer: context.topic, on: connection) {
                try await outbox.append(RegistrationAppraised(registrationID: registration, outcome: outcome), on: connection)
            }
            return true
        }
    }

    func giveUp(_ registration: RegistrationID, reason: FailureReason, on connection: PostgresConnection) async throws {
        let table = RegistrationTable(connection)
        try await table.lock(registration)
        guard try await table.isUndecided(registration) else { return }
        // `failed` is not final: the fault is ours, and the device can attest its key only once.
        try await table.save(registration, outcome: .failed, device: nil, failure: reason.rawValue)
        try await outbox.append(RegistrationAppraised(registrationID: registration, outcome: .failed), on: connection)
    }

    private func record(
        _ finding: RegistrationFinding, _ submission: RegistrationSubmission, in table: RegistrationTable
    ) async throws -> RegistrationOutcome {
        let id = submission.registrationID
        switch finding {
        case .verified(let attestation, let receiptStatus):
            let device = try await table.insert(submission, verified: attestation, receiptStatus: receiptStatus)
            let outcome: RegistrationOutcome = device == nil ? .alreadyRegistered : .registered
            try await table.save(id, outcome: outcome, device: device, failure: nil)
            return outcome
        case .unverified(let key, let failure):
            let device = try await table.insert(submission, requestKey: key, failure: failure)
            try await table.save(id, outcome: .registered, device: device, failure: failure.rawValue)
            return .registered
        case .invalid(let failure):
            try await table.save(id, outcome: .invalidAttestation, device: nil, failure: failure.rawValue)
            return .invalidAttestation
        }
    }
}

/// The SQL statements of one transaction.
private struct RegistrationTable {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Takes an advisory lock, so that a redelivery waits for the first transaction to end.
    func lock(_ registration: RegistrationID) async throws {
        try await connection.lock(registration.description)
    }

    /// Whether a submission without an outcome is stored, even one that this version cannot decode.
    func isUndecided(_ registration: RegistrationID) async throws -> Bool {
        try await !connection.query(
            """
            SELECT 1 FROM challenges WHERE registration_id = \(registration.uuid) AND submission IS NOT NULL
                AND NOT EXISTS (SELECT FROM registrations WHERE registrations.id = registration_id)
            """
        ).isEmpty
    }

    func outcome(of registration: RegistrationID) async throws -> RegistrationOutcome? {
        let rows = try await connection.query("SELECT outcome FROM registrations WHERE id = \(registration.uuid)")
        return try rows.first.map { try $0.word("outcome") }
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

    /// - Returns: `nil` if a verified device holds the key already.
    func insert(
        _ message: RegistrationSubmission, verified attestation: VerifiedAttestation, receiptStatus: String
    ) async throws -> DeviceID? {
        let id = DeviceID()
        let rows = try await connection.query(
            """
            INSERT INTO devices (id, platform, model, has_lidar, os_version, attestation_level, is_development_root, key_id,
                public_key, request_key_algorithm, request_key, app_id, environment, attestation_object, certificate_chain,
                receipt, receipt_status, validation_category, bundle_version, client_data_hash, registered_at)
            VALUES (\(id.uuid), 'ios', \(message.model), \(message.hasLiDAR), \(message.osVersion), 'secure_enclave',
                \(attestation.isDevelopmentRoot), \(attestation.keyID), \(attestation.publicKeyX963),
                \(message.requestKey?.algorithm.rawValue), \(message.requestKey?.publicKey.bytes), \(attestation.appID),
                \(attestation.environment.rawValue), \(message.attestationObject.bytes), \(attestation.certificateChain),
                \(attestation.receipt), \(receiptStatus), \(attestation.extensions.validationCategory.map(Int64.init)),
                \(attestation.extensions.bundleVersion.map(BundleVersion.storable)), \(message.clientDataHash.bytes), \(message.receivedAt))
            ON CONFLICT (key_id) WHERE attestation_level = 'secure_enclave' DO NOTHING
            RETURNING id
            """)
        return rows.isEmpty ? nil : id
    }

    /// Inserts an unverified device: it has a request key and does not reserve the attested key.
    func insert(_ message: RegistrationSubmission, requestKey: RequestKey, failure: AttestationFailure) async throws -> DeviceID {
        let id = DeviceID()
        try await connection.query(
            """
            INSERT INTO devices (id, platform, model, has_lidar, os_version, attestation_level, attestation_failure, key_id,
                request_key_algorithm, request_key, attestation_object, client_data_hash, registered_at)
            VALUES (\(id.uuid), 'ios', \(message.model), \(message.hasLiDAR), \(message.osVersion), 'unverified', \(failure.rawValue),
                \(message.keyID.bytes), \(requestKey.algorithm.rawValue), \(requestKey.publicKey.bytes),
                \(message.attestationObject.bytes), \(message.clientDataHash.bytes), \(message.receivedAt))
            """)
        return id
    }
}
