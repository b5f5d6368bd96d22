import CaptureProtocol
import Delivery
import Logging
import Metrics
import Models

/// Measures the depth of captures again that operators want assessed by the present method. They come one after the other, so that new
/// captures hardly wait for them.
struct DepthReassessment: Sendable {
    let queue: any MeasurementQueue
    let analysis: CaptureAnalysis
    let logger: Logger

    /// Ends early at shutdown.
    /// - Throws: what database and store throw; the rest is done in a later call.
    func run() async throws {
        while !Task.isEnding, let capture = try await queue.take() {
            try Task.checkCancellation()
            do {
                guard let announcement = try await queue.announcement(of: capture) else { continue }
                try await queue.save(try await analysis.measure(announcement), of: capture)
            } catch let rejection as RejectedMessage {
                logger.error(
                    "the depth cannot be measured again", metadata: ["capture_id": "\(capture)", "reason": "\(rejection)"])
                try await queue.refuse(capture, rejection.reason)
                Counter(label: "rial_reassessments_total", dimensions: [("outcome", rejection.reason.rawValue)]).increment()
            }
        }
    }
}
