import CaptureProtocol
import Attestation
import Delivery
import Foundation
import Logging
import Metrics
import Models
import Observability
import Persistence

/// Appraises the attestation of a device and keeps the first outcome. A registration seen again is answered from there.
struct AppraiseRegistration: MessageHandler {
    let appraiser: AttestationAppraiser
    let receipts: ReceiptAppraiser
    let database: PostgresPool
    let outbox: Outbox
    let inbox: Inbox

    func handle(_ message: RegistrationSubmitted, _ context: MessageContext) async throws {
        let submission = try await database.withConnection { try await RegistrationRepository($0).submission(message.registrationID) }
        guard let submission else { throw RejectedMessage(.registrationUnknown) }
        try await appraise(submission, context)
    }

    private func appraise(_ message: RegistrationSubmission, _ context: MessageContext) async throws {
        let verdict = appraiser.appraise(
            message.attestationObject.bytes, keyID: message.keyID.bytes, clientDataHash: message.clientDataHash.bytes,
            at: message.receivedAt)
        if case .rejected(let failure) = verdict {
            context.logger.notice("attestation not verified", metadata: ["class": "\(failure.rawValue)"])
        }
        let receiptStatus = await status(ofReceiptIn: verdict, at: message.receivedAt)
        Counter(label: "rial_receipts_total", dimensions: [("status", receiptStatus)]).increment()
        try await database.withTransaction { connection in
            guard try await inbox.accept(context.eventID, consumer: context.topic, on: connection) else { return }
            let outcome = try await record(message, verdict, receiptStatus, on: connection)
            FailPoint.reached("attestation-verifier.registration.stored")
            try await outbox.append(
                RegistrationAppraised(registrationID: message.registrationID, outcome: outcome), on: connection)
            FailPoint.reached("attestation-verifier.registration.announced")
            Counter(label: "rial_registrations_total", dimensions: [("outcome", outcome.rawValue)]).increment()
        }
        FailPoint.reached("attestation-verifier.registration.committed")
    }

    func giveUp(_ message: RegistrationSubmitted, reason: FailureReason, on connection: PostgresConnection) async throws {
        let registrations = RegistrationRepository(connection)
        try await registrations.lock(message.registrationID)
        guard try await registrations.isSubmitted(message.registrationID),
            try await registrations.outcome(of: message.registrationID) == nil
        else { return }
        // Not the end of it: the device's key can be attested only once, and the fault is ours.
        try await registrations.save(message.registrationID, outcome: .failed, device: nil, failure: reason.rawValue)
        try await outbox.append(
            RegistrationAppraised(registrationID: message.registrationID, outcome: .failed), on: connection)
    }

    /// `verified`, `none`, or why the receipt counts for nothing. It decides nothing: the attestation stands without it.
    private func status(ofReceiptIn verdict: AttestationVerdict, at time: Date) async -> String {
        guard case .verified(let attestation) = verdict, let receipt = attestation.receipt else { return "none" }
        switch await receipts.appraise(receipt, of: ReceiptSubject(attestation), at: time, maximumAge: 300) {
        case .verified: return "verified"
        case .rejected(let failure): return failure.rawValue
        }
    }

    /// The stored outcome, or a new one with the device it makes.
    private func record(
        _ message: RegistrationSubmission, _ verdict: AttestationVerdict, _ receiptStatus: String, on connection: PostgresConnection
    ) async throws -> RegistrationOutcome {
        let registrations = RegistrationRepository(connection)
        try await registrations.lock(message.registrationID)
        if let known = try await registrations.outcome(of: message.registrationID), known != .failed { return known }
        let devices = DeviceRepository(connection)
        switch verdict {
        case .verified(let attestation):
            guard let device = try await devices.insert(message, verified: attestation, receiptStatus: receiptStatus) else {
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
