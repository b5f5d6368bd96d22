import CaptureProtocol
import Foundation
import Models

/// The result of using a challenge that a body named.
enum ChallengeUse: Sendable {
    /// The registration that this body started, now or in an earlier request.
    case registration(RegistrationID)
    /// The challenge is unknown, expired, or was consumed by another body.
    case refused
}

/// The challenges and the registration body that consumed each.
protocol ChallengeRepository: Sendable {
    /// Issues a new challenge of 32 random bytes.
    func issue() async throws -> (challenge: [UInt8], expiresAt: Date)

    /// Consumes the challenge for the body and announces the registration, in one transaction. Idempotent for 24 hours: the same body finds
    /// its registration, and announces it again if there is no outcome yet or the outcome is `failed`, which is a fault of ours.
    func consume(_ body: RegistrationBody, digest: ContentDigest) async throws -> ChallengeUse

    /// Deletes challenges after a day.
    func sweep() async throws
}
