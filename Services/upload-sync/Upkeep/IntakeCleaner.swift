import CaptureProtocol
import Delivery
import Logging
import Metrics
import ObjectStorage

/// Finds intake objects to delete. Each method is one transaction.
protocol IntakeCleanupRepository: Sendable {
    /// Captures with intake objects that have been complete for an hour. The hour is for a failover to a database slightly behind, where a
    /// capture may still need its intake.
    func finished(limit: Int) async throws -> [CaptureID]
    func noteDeleted(_ capture: CaptureID) async throws

    /// Deletes the rows of uploads older than a day that have a capture.
    func forgetRecorded() async throws
    /// Marks uploads older than a day without a capture as abandoned: nothing can be recorded from them any more. Also returns those marked
    /// more than ten minutes ago that still exist, after the others.
    func abandon(limit: Int) async throws -> [(id: CaptureID, prefix: String)]
    func forget(_ upload: CaptureID) async throws
}

/// Deletes intake objects that are no longer needed: of captures an hour after they were complete, and of abandoned uploads. Finds them by
/// their rows (SPEC §5), never by listing the bucket.
struct IntakeCleaner {
    static let batchSize = 100
    let rows: any IntakeCleanupRepository
    let storage: any ObjectStore
    let logger: Logger

    func deleteFinished() async throws {
        try await CleanupTask.finishedIntake.inBatches(of: Self.batchSize, logger, rows.finished(limit:)) { id in
            try await StoredPrefix.intake(of: id, in: storage).empty()
            try await rows.noteDeleted(id)
            return true
        }
    }

    /// Deletes the objects of uploads without a capture after 24 hours, including those that an earlier run could not delete.
    func deleteAbandoned() async throws {
        // The upload belongs to an existing capture, and so do its objects.
        try await rows.forgetRecorded()
        while try await deleteAbandonedBatch() {}
    }

    /// - Returns: whether another batch may make progress; false at shutdown.
    private func deleteAbandonedBatch() async throws -> Bool {
        let abandoned = try await rows.abandon(limit: Self.batchSize)
        var swept = 0
        for (id, prefix) in abandoned {
            guard !Task.isEnding else { return false }
            do {
                try await StoredPrefix(storage: storage, text: prefix).empty()
                try await rows.forget(id)
                Counter(label: "rial_intakes_swept_total").increment()
                swept += 1
            } catch {
                logger.cleanupFailed(.abandonedIntake, id, error)
            }
        }
        if !abandoned.isEmpty { logger.notice("abandoned uploads swept", metadata: ["count": "\(swept)"]) }
        return abandoned.count == Self.batchSize && swept > 0
    }
}
