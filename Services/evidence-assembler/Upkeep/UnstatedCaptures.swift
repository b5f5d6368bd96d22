import CaptureProtocol
import Logging
import Metrics
import Models
import TransparencyLog

/// Makes the first statements about captures that were completed before there were any (SPEC §14).
///
/// It may be interrupted at any time and run by several instances at once: a capture gets one first statement.
struct UnstatedCaptures: Sendable {
    static let batchSize = 50
    let statements: any StatementRepository
    let logger: Logger

    /// States all of them in one pass, in batches; captures that cannot be stated do not block the others.
    /// - Throws: database errors, which end the pass.
    func state() async throws {
        try await measure()
        let backfill = Backfill(batchSize: Self.batchSize) { last in
            try await statements.unstated(after: last, limit: Self.batchSize)
        } fill: {
            try await state($0)
        } log: {
            log($0, $1)
        }
        try await backfill.run()
        try await measure()
    }

    /// Reports how many are left, including those that cannot be stated.
    private func measure() async throws { Meter(label: "rial_captures_unstated").set(try await statements.countUnstated()) }

    private func state(_ capture: CaptureID) async throws {
        do {
            for made in try await statements.assess(capture) { made.count() }
        } catch let problem as RejectedMessage {
            log(capture, problem)
        } catch let problem as BundleError {
            log(capture, problem)
        }
    }

    private func log(_ capture: CaptureID, _ problem: any Error) {
        logger.error("a capture cannot be stated", metadata: ["capture_id": "\(capture)", "problem": "\(problem)"])
    }
}
