import CaptureProtocol
import Logging
import Metrics
import ObjectStorage

/// What rows say of intake that may go. Each method is one transaction.
protocol IntakeRepository: Sendable {
    /// Captures whose intake is still there, complete for an hour: a database that fails over to one a little behind may ask for a
    /// capture's media again.
    func finished(limit: Int) async throws -> [CaptureID]
    func noteDeleted(_ capture: CaptureID) async throws

    /// Forgets uploads of more than a day ago of which there is a capture.
    func forgetRecorded() async throws
    /// Marks uploads of more than a day ago of which nothing came: nothing can be recorded from them any more. Those that were marked ten
    /// minutes ago and are still there come once more, after the others.
    func abandon(limit: Int) async throws -> [(id: CaptureID, prefix: String)]
    func forget(_ upload: CaptureID) async throws
}

/// Deletes intake that is no longer needed: that of captures an hour after they were complete, and that of uploads of which nothing came.
/// Rows lead to all of it (SPEC §5); nothing lists the bucket.
struct IntakeCleaner {
    static let batchSize = 100
    let rows: any IntakeRepository
    let storage: any ObjectStore
    let logger: Logger

    func deleteFinished() async throws {
        while true {
            let captures = try await rows.finished(limit: Self.batchSize)
            var deleted = 0
            for id in captures {
                do {
                    try await StoredPrefix.intake(of: id, in: storage).empty()
                    try await rows.noteDeleted(id)
                    deleted += 1
                } catch {
                    logger.cleanUpFailed("finished intake", id, error)
                }
            }
            guard captures.count == Self.batchSize, deleted > 0, !Task.isCancelled else { return }
        }
    }

    /// What `intakes` names without a capture after 24 hours, and what was given up and could not be deleted then.
    func deleteAbandoned() async throws {
        // Brought again for a capture there is: its bytes are that capture's.
        try await rows.forgetRecorded()
        while try await deleteAbandonedBatch(), !Task.isCancelled {}
    }

    /// - Returns: whether there may be more that can be deleted.
    private func deleteAbandonedBatch() async throws -> Bool {
        let abandoned = try await rows.abandon(limit: Self.batchSize)
        var swept = 0
        for (id, prefix) in abandoned {
            do {
                try await StoredPrefix(storage: storage, text: prefix).empty()
                try await rows.forget(id)
                Counter(label: "rial_intakes_swept_total").increment()
                swept += 1
            } catch {
                logger.cleanUpFailed("abandoned intake", id, error)
            }
        }
        if !abandoned.isEmpty { logger.notice("abandoned uploads swept", metadata: ["count": "\(swept)"]) }
        return abandoned.count == Self.batchSize && swept > 0
    }
}
