import Delivery
import Foundation
import Metrics
import Models
import Persistence

/// Measures the depth map of a capture and stores its preview picture. A capture seen again gets the stored result: the same bytes give
/// the same numbers, so that the first ones stand.
struct AnalyzeDepth: MessageHandler {
    let analysis: CaptureAnalysis
    let publisher: PartPublisher<DepthAnalyzed>

    func handle(_ message: CaptureReceived, _ context: MessageContext) async throws {
        guard let announcement = try await publisher.begin(message.captureID, answering: context) else { return }
        let findings = try await analysis.run(announcement)
        try await publisher.publish(findings, for: message.captureID, answering: context)
        let verdict = findings.measurements?.verdict.rawValue ?? "unavailable"
        Counter(label: "rial_depth_analyses_total", dimensions: [("verdict", verdict)]).increment()
    }

    func giveUp(_ message: CaptureReceived, reason: FailureReason, on connection: PostgresConnection) async throws {
        try await publisher.giveUp(message.captureID, reason: reason, on: connection)
    }
}
