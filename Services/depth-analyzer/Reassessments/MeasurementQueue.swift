import CaptureProtocol
import Models

/// Captures whose depth operators want measured again (SPEC §14). Several instances may take from it.
protocol MeasurementQueue: Sendable {
    /// Takes the capture that has waited longest. If nothing comes of it, it can be taken again once any measurement would have ended.
    /// - Returns: `nil` if none is due.
    func take() async throws -> CaptureID?

    /// - Returns: `nil` if the capture was withdrawn.
    /// - Throws: `RejectedMessage` if this version cannot decode the announcement.
    func announcement(of capture: CaptureID) async throws -> CaptureAnnouncement?

    /// Keeps what was measured, from which `evidence-assembler` goes on. The first findings stand.
    func save(_ findings: DepthFindings, of capture: CaptureID) async throws

    /// The capture cannot be measured again.
    func refuse(_ capture: CaptureID, _ reason: FailureReason) async throws
}
