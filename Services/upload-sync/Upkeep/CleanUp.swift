import CaptureProtocol
import Logging
import Metrics

/// What upload-sync deletes; the raw values are those in metrics and log lines.
enum CleanUp: String, CaseIterable {
    case finishedIntake = "finished intake"
    case abandonedIntake = "abandoned intake"
    case derivedObjects = "derived objects"
    case withdrawnObjects = "withdrawn objects"
    case failedMedia = "media of failed captures"
    case repeatedUpload = "repeated upload"

    var failures: Counter { Counter(label: "rial_cleanups_failed_total", dimensions: [("task", rawValue)]) }

    /// Shows the counters before there is anything to count, so that the first time is an increase.
    static func showCounters() {
        for task in allCases { task.failures.increment(by: 0) }
    }
}

extension Logger {
    /// Counts and logs a failed clean-up; it is retried later, and the rest of the batch goes on.
    func cleanUpFailed(_ task: CleanUp, _ id: CaptureID, _ error: any Error) {
        task.failures.increment()
        warning("not cleaned up yet", error: error, metadata: ["task": "\(task.rawValue)", "capture_id": "\(id)"])
    }
}
