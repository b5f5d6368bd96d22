import CaptureProtocol
import Models

/// A capture to be assessed again: what it was assessed by, with its depth as measured by the present method.
struct MeasuredCapture: Sendable {
    let gathered: GatheredCapture
    /// The present one.
    let package: EvidencePackage
}

/// The verdict of a capture that was assessed again.
struct RenewedVerdict: Sendable {
    /// Its Content Credentials are those that would be due now.
    let package: EvidencePackage
    let confidence: ConfidenceLevel
    /// The share card with the new confidence.
    let card: StoredMedia
}

/// The result of a request to assess a capture again.
enum ReassessmentOutcome: String, Sendable {
    case reassessed
    /// The present methods say the same and are the same.
    case unchanged
    /// The verdict was taken back, and stays so until the device is restored.
    case revoked
}

/// Captures that operators want assessed again (SPEC §14), once their depth is measured. Each is settled once.
protocol ReassessmentRepository: Sendable {
    /// Longest waiting first. Those without a first statement wait for it, since their new one must name it.
    func measured(limit: Int) async throws -> [CaptureID]

    /// - Returns: `nil` if it was settled or withdrawn meanwhile.
    /// - Throws: ``RejectedMessage`` if this version cannot read it.
    func find(_ capture: CaptureID) async throws -> MeasuredCapture?

    /// Replaces the verdict, makes the statement and announces it. Credentials that were embedded meanwhile stay.
    /// - Returns: `nil` if it was settled or withdrawn meanwhile, or has no first statement yet.
    func settle(_ capture: CaptureID, _ verdict: RenewedVerdict) async throws -> ReassessmentOutcome?

    /// It cannot be assessed again.
    func refuse(_ capture: CaptureID, _ reason: FailureReason) async throws
}
