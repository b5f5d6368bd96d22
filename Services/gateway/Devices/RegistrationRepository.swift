import CaptureProtocol
import Models

/// The stored outcome of a registration.
struct RegistrationRecord: Sendable {
    let outcome: RegistrationOutcome
    /// `nil` unless a device was registered.
    let device: RegistrationResult?
}

/// The outcomes that `attestation-verifier` stores.
protocol RegistrationRepository: Sendable {
    /// - Returns: `nil` while there is no outcome.
    func find(_ id: RegistrationID) async throws -> RegistrationRecord?
}
