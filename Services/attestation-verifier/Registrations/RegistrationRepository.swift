import Attestation
import CaptureProtocol
import Delivery
import Models

/// The outcome of appraising a registration's attestation.
enum RegistrationFinding: Sendable {
    /// A verified device, unless a device with this key is registered already.
    case verified(VerifiedAttestation, receiptStatus: String)
    /// An unverified device, authenticated by its request key.
    case unverified(RequestKey, AttestationFailure)
    /// No device: there is no key to authenticate it with.
    case invalid(AttestationFailure)
}

/// The submitted registrations and their outcomes. `failed` is not final.
protocol RegistrationRepository: Sendable {
    /// The transaction that stores the dead letter.
    associatedtype Transaction: Sendable

    /// The submission; `nil` if there is none. It is deleted a day after the challenge was made.
    /// - Throws: ``RejectedMessage`` if this version cannot read it.
    func submission(_ registration: RegistrationID) async throws -> RegistrationSubmission?

    /// Stores the first outcome and its device, and announces it. Does nothing if this event was processed before.
    /// - Returns: the stored outcome; `nil` if the event was processed before.
    func save(
        _ finding: RegistrationFinding, of submission: RegistrationSubmission, answering context: MessageContext
    ) async throws -> RegistrationOutcome?

    /// Announces the outcome of a registration whose submission is gone. Announces nothing if this event was processed before.
    /// - Returns: false if there is no final outcome.
    func announceAgain(_ registration: RegistrationID, answering context: MessageContext) async throws -> Bool

    /// Stores and announces `failed`. Does nothing if there is an outcome already or no submission.
    func giveUp(_ registration: RegistrationID, reason: FailureReason, on transaction: Transaction) async throws
}
