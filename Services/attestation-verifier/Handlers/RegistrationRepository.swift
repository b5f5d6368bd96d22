import Attestation
import CaptureProtocol
import Delivery
import Models

/// What an attestation's verdict makes of a registration.
enum RegistrationFinding: Sendable {
    /// A verified device, unless one holds the key already.
    case verified(VerifiedAttestation, receiptStatus: String)
    /// An unverified device, which its request key authenticates.
    case unverified(RequestKey, AttestationFailure)
    /// No device: nothing could ever authenticate it.
    case invalid(AttestationFailure)
}

/// What registrations ask for, and the outcome of each. `failed` is not final.
protocol RegistrationRepository: Sendable {
    /// In which dead letters are stored.
    associatedtype Transaction: Sendable

    /// What was asked for; `nil` if nobody submitted it.
    /// - Throws: ``RejectedMessage`` if this version cannot read it.
    func submission(_ registration: RegistrationID) async throws -> RegistrationSubmission?

    /// Keeps the first outcome, with the device that it makes, and announces it; nothing of it if this very event was answered before.
    /// - Returns: what is kept now; `nil` if the event was answered before.
    func save(
        _ finding: RegistrationFinding, of submission: RegistrationSubmission, answering context: MessageContext
    ) async throws -> RegistrationOutcome?

    /// Notes and announces `failed`; nothing if there is an outcome, or nobody submitted it.
    func giveUp(_ registration: RegistrationID, reason: FailureReason, on transaction: Transaction) async throws
}
