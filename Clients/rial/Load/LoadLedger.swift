import CaptureProtocol
import Foundation
import Models
import RialClient

/// Collects the results of a run.
actor LoadLedger {
    private var inFlight = 0
    private var skipped = 0
    private var acceptedTimes: [Duration] = []
    private var completeTimes: [Duration] = []
    private var observedTimes: [Duration] = []
    private var confidence: [String: Int] = [:]
    private var failedCaptures = 0
    private var errors: [String: Int] = [:]
    private var deferred: [CaptureID] = []
    private var firstReceived: Date?
    private var lastCompleted: Date?

    /// - Returns: false if `limit` captures are in progress.
    func begin(limit: Int) -> Bool {
        guard inFlight < limit else {
            skipped += 1
            return false
        }
        inFlight += 1
        return true
    }

    func end() { inFlight -= 1 }

    func accepted(after duration: Duration) { acceptedTimes.append(duration) }

    func failed(_ word: String) { errors[word, default: 0] += 1 }

    func `defer`(_ id: CaptureID) { deferred.append(id) }

    /// The deferred captures, split into shares.
    func takeDeferred(shares: Int) -> [[CaptureID]] {
        defer { deferred = [] }
        return (0..<shares).map { share in
            stride(from: share, to: deferred.count, by: shares).map { deferred[$0] }
        }
    }

    /// - Parameter observed: the time from acceptance until the final state was observed; `nil` if it was not measured.
    func finished(_ capture: CaptureRecord, observed: Duration?) {
        guard capture.status == .complete else {
            failedCaptures += 1
            errors["capture_failed: \(capture.failure ?? "–")", default: 0] += 1
            return
        }
        confidence[capture.confidenceLevel?.rawValue ?? "none", default: 0] += 1
        if let observed { observedTimes.append(observed) }
        let processing = capture.evidence?["processing"]
        if let milliseconds = processing?["duration_ms"]?.double { completeTimes.append(.milliseconds(milliseconds)) }
        if let time = processing?["received_at"]?.string.flatMap(Timestamp.parse) { firstReceived = min(firstReceived ?? time, time) }
        if let time = processing?["completed_at"]?.string.flatMap(Timestamp.parse) { lastCompleted = max(lastCompleted ?? time, time) }
    }

    /// - Parameter sending: the duration of sending; `nil` for the whole run.
    func report(mode: String, elapsed: Duration, sending: Duration? = nil) -> LoadReport {
        let complete = confidence.values.reduce(0, +)
        let span = firstReceived.flatMap { first in lastCompleted.map { $0.timeIntervalSince(first) } }
        return LoadReport(
            mode: mode, seconds: (sending ?? elapsed) / .seconds(1), accepted: acceptedTimes.count, complete: complete,
            failed: failedCaptures, skipped: skipped, errors: errors, confidence: confidence,
            acceptedMilliseconds: Percentiles(acceptedTimes), completeMilliseconds: Percentiles(completeTimes),
            observedMilliseconds: Percentiles(observedTimes),
            acceptedPerSecond: Double(acceptedTimes.count) / max((sending ?? elapsed) / .seconds(1), 0.001),
            completePerSecond: span.map { Double(complete) / max($0, 0.001) })
    }
}
