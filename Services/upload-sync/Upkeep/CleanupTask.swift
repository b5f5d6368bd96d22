import CaptureProtocol
import Delivery
import Logging
import Metrics

/// A task of deleting, or of copying for a repeated upload; the raw values are those in metrics and log lines.
enum CleanupTask: String, CaseIterable {
    case finishedIntake = "finished intake"
    case abandonedIntake = "abandoned intake"
    case derivedObjects = "derived objects"
    case withdrawnObjects = "withdrawn objects"
    case failedMedia = "media of failed captures"
    case repeatedUpload = "repeated upload"

    var failures: Counter { Counter(label: "rial_cleanups_failed_total", dimensions: [("task", rawValue)]) }

    /// Cleans up captures in batches, until a batch is not full, or nothing in one could be cleaned up, or until shutdown.
    /// - Parameters:
    ///   - next: the next captures, up to the given number.
    ///   - clean: returns false for a capture that is not due yet. One that fails does not block the others.
    func inBatches(
        of size: Int, _ logger: Logger, _ next: (Int) async throws -> [CaptureID], _ clean: (CaptureID) async throws -> Bool
    ) async throws {
        while true {
            let captures = try await next(size)
            var cleaned = 0
            for id in captures {
                guard !Task.isEnding else { return }
                do {
                    if try await clean(id) { cleaned += 1 }
                } catch {
                    logger.cleanupFailed(self, id, error)
                }
            }
            guard captures.count == size, cleaned > 0 else { return }
        }
    }

    /// Shows the counters before there is anything to count, so that the first time is an increase.
    static func showCounters() {
        for task in allCases { task.failures.increment(by: 0) }
    }
}

extension Logger {
    /// Counts and logs a failed clean-up; it is retried later, and the rest of the batch continues.
    func cleanupFailed(_ task: CleanupTask, _ id: CaptureID, _ error: any Error) {
        task.failures.increment()
        warning("not cleaned up yet", error: error, metadata: ["task": "\(task.rawValue)", "capture_id": "\(id)"])
    }
}
