import Attestation
import CaptureProtocol
import Delivery
import Foundation
import Logging
import Metrics
import Models

/// Appraises the attestation of a device and stores the first outcome. A repeated registration gets the stored outcome.
struct AppraiseRegistration<Registrations: RegistrationRepository>: MessageHandler {
    let appraiser: AttestationAppraiser
    let receipts: ReceiptAppraiser
    let registrations: Registrations

    func handle(_ message: RegistrationSubmitted, _ context: MessageContext) async throws {
        guard let submission = try await registrations.submission(message.registrationID) else {
            // Records are kept longer than submissions.
            if try await registrations.announceAgain(message.registrationID, answering: context) { return }
            throw RejectedMessage(.registrationUnknown)
        }
        let verdict = appraiser.appraise(
            submission.attestationObject.bytes, keyID: submission.keyID.bytes, clientDataHash: submission.clientDataHash.bytes,
            at: submission.receivedAt)
        if case .rejected(let failure) = verdict {
            context.logger.notice("attestation not verified", metadata: ["class": "\(failure.rawValue)"])
        }
        let finding = await finding(verdict, submission)
        guard let outcome = try await registrations.save(finding, of: submission, answering: context) else { return }
        Counter(label: "rial_registrations_total", dimensions: [("outcome", outcome.rawValue)]).increment()
    }

    func giveUp(_ message: RegistrationSubmitted, reason: FailureReason, on transaction: Registrations.Transaction) async throws {
        try await registrations.giveUp(message.registrationID, reason: reason, on: transaction)
    }

    private func finding(_ verdict: AttestationVerdict, _ submission: RegistrationSubmission) async -> RegistrationFinding {
        let receiptStatus = await status(ofReceiptIn: verdict, at: submission.receivedAt)
        Counter(label: "rial_receipts_total", dimensions: [("status", receiptStatus)]).increment()
        switch verdict {
        case .verified(let attestation): return .verified(attestation, receiptStatus: receiptStatus)
        case .rejected(let failure):
            guard failure.isWellFormed, let key = submission.requestKey else { return .invalid(failure) }
            return .unverified(key, failure)
        }
    }

    /// `verified`, `none`, or why the receipt was rejected. Informational only: the attestation is valid without a receipt.
    private func status(ofReceiptIn verdict: AttestationVerdict, at time: Date) async -> String {
        guard case .verified(let attestation) = verdict, let receipt = attestation.receipt else { return "none" }
        switch await receipts.appraise(receipt, of: ReceiptSubject(attestation), at: time, maximumAge: 300) {
        case .verified: return "verified"
        case .rejected(let failure): return failure.rawValue
        }
    }
}

extension AttestationFailure {
    /// Whether the object is well-formed. Only then is an unverified device registered (SPEC §2).
    var isWellFormed: Bool {
        switch self {
        case .malformedCBOR, .malformedObject, .malformedAuthData: false
        default: true
        }
    }
}
