import CaptureProtocol
import Delivery
import Logging
import Metrics
import Models
import TransparencyLog

/// Carries out for each capture of a device what operators decided about the device (SPEC §14): those received since a revocation counts
/// are revoked, and assessed again once the device is restored.
///
/// It may be interrupted at any time, run by several instances at once and be repeated: what is left to do is looked up.
struct DeviceRevision: Sendable {
    static let batchSize = 50
    let statements: any StatementRepository
    let logger: Logger

    /// Captures that cannot be read do not block the others.
    func run(_ device: DeviceID) async throws {
        var last: CaptureID?
        while true {
            let batch = try await statements.toRevise(of: device, after: last, limit: Self.batchSize)
            for capture in batch {
                try Task.checkCancellation()
                last = capture
                do {
                    try await statements.revise(capture)?.count()
                } catch let problem as RejectedMessage {
                    log(capture, problem)
                } catch let problem as BundleError {
                    log(capture, problem)
                }
            }
            if batch.count < Self.batchSize { return }
        }
    }

    private func log(_ capture: CaptureID, _ problem: any Error) {
        logger.error("a capture cannot be revised", metadata: ["capture_id": "\(capture)", "problem": "\(problem)"])
    }
}

extension NewStatement {
    /// Counts it in metrics, after the transaction.
    func count() { Counter(label: "rial_statements_total", dimensions: [("kind", statement.kind.rawValue)]).increment() }
}
