import CaptureProtocol
import Metrics
import Models

/// The metric of failed captures.
enum CaptureFailures {
    static func count(_ reason: StableWord<FailureReason>, by count: Int = 1) {
        Counter(label: "rial_captures_failed_total", dimensions: [("reason", reason.text)]).increment(by: count)
    }

    /// Shows the counters before there is anything to count, so that the first time is an increase.
    static func showCounters() {
        for reason in FailureReason.allCases { count(StableWord(reason), by: 0) }
    }
}
