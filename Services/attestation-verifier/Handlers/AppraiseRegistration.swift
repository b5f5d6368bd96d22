import Attestation
import Foundation
import Logging
import Metrics
import Models
import Persistence
import Pipeline

/// Appraises the attestation of a device and keeps the first outcome. A registration seen again is answered from there.
struct AppraiseRegistration: MessageHandler {
    let appraiser: AttestationAppraiser
    let database: PostgresPool
    let outbox: Outbox
    let inbox: Inbox

    func handle(_ message: RegistrationSubmitted, _ context: MessageContext) async throws {
        let verdict = appraiser.appraise(
            message.attestationObject.bytes, keyID: message.keyID.bytes, clientDataHash: message.clientDataHash.bytes,
            at: message.receivedAt)
        if case .rejected(let failure) = verdict {
            context.logger.notice("attestation not verified", metadata: ["class": "\(failure.rawValue)"])
        }
        try await database.withTransaction { connection in
            guard try await inbox.accept(context.eventID, consumer: context.topic, on: connection) else { return }
            let outcome = try await record(message, verdict, on: connection)
            FailPoint.reached("attestation-verifier.registration.stored")
            try await outbox.append(
                RegistrationAppraised(registrationID: message.registrationID, outcome: outcome), on: connection)
            FailPoint.reached("attestation-verifier.registration.announced")
            Counter(label: "rial_registrations_total", dimensions: [("outcome", outcome.rawValue)]).increment()
        }
        FailPoint.reached("attestation-verifier.registration.committed")
    }

    func giveUp(_ message: RegistrationSubmitted, reason: String, on connection: PostgresConnection) async throws {
        let registrations = RegistrationRepository(connection)
        try await registrations.lock(message.registrationID)
        guard try await registrations.outcome(of: message.registrationID) == nil else { return }
        try await registrations.save(message.registrationID, outcome: .failed, device: nil, failure: reason)
        try await outbox.append(
            RegistrationAppraised(registrationID: message.registrationID, outcome: .failed), on: connection)
    }

    /// The stored outcome, or a new one with the device it makes.
    private func record(
        _ message: RegistrationSubmitted, _ verdict: AttestationVerdict, on connection: PostgresConnection
    ) async throws -> RegistrationOutcome {
        let registrations = RegistrationRepository(connection)
        try await registrations.lock(message.registrationID)
        if let known = try await registrations.outcome(of: message.registrationID) { return known }
        let devices = DeviceRepository(connection)
        switch verdict {
        case .verified(let attestation):
            guard let device = try await devices.insert(message, verified: attestation) else {
                try await registrations.save(message.registrationID, outcome: .alreadyRegistered, device: nil, failure: nil)
                return .alreadyRegistered
            }
            try await registrations.save(message.registrationID, outcome: .registered, device: device, failure: nil)
            return .registered
        case .rejected(let failure):
            // Without a request key nothing could ever authenticate such a device.
            guard failure.isWellFormed, let key = message.requestKey else {
                try await registrations.save(
                    message.registrationID, outcome: .invalidAttestation, device: nil, failure: failure.rawValue)
                return .invalidAttestation
            }
            let device = try await devices.insert(message, requestKey: key, failure: failure.rawValue)
            try await registrations.save(
                message.registrationID, outcome: .registered, device: device, failure: failure.rawValue)
            return .registered
        }
    }
}

extension AttestationFailure {
    /// Whether the object at least was an attestation in form; only then does it make an unverified device (SPEC §2).
    var isWellFormed: Bool {
        switch self {
        case .malformedCBOR, .malformedObject, .malformedAuthData: false
        default: true
        }
    }
}
