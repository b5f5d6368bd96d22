import Foundation

/// The results of a load run.
struct LoadReport: MeasurementReport {
    /// `steady` or `flood`.
    let mode: String
    /// The duration of sending.
    let seconds: Double
    let accepted: Int
    let complete: Int
    /// Captures that failed.
    let failed: Int
    /// Not sent, because too many were in progress.
    let skipped: Int
    /// The number of occurrences of each error.
    let errors: [String: Int]
    let confidence: [String: Int]
    let acceptedMilliseconds: Percentiles?
    let completeMilliseconds: Percentiles?
    let observedMilliseconds: Percentiles?
    let acceptedPerSecond: Double
    /// From the first receipt to the last evidence, by the server's clock.
    let completePerSecond: Double?

    /// Whether all captures were sent, accepted and completed.
    var isClean: Bool { errors.isEmpty && skipped == 0 && complete == accepted && accepted > 0 }

    enum CodingKeys: String, CodingKey {
        case mode, seconds, accepted, complete, failed, skipped, errors, confidence
        case acceptedMilliseconds = "accepted_ms"
        case completeMilliseconds = "complete_ms"
        case observedMilliseconds = "observed_ms"
        case acceptedPerSecond = "accepted_per_second"
        case completePerSecond = "captures_per_second"
    }
}

/// Percentiles in milliseconds, by nearest rank.
struct Percentiles: Encodable, Sendable, Equatable {
    let p50: Double
    let p99: Double
    let max: Double

    /// `nil` without samples.
    init?(_ samples: [Duration]) {
        let sorted = samples.map { $0 / .milliseconds(1) }.sorted()
        guard let last = sorted.last else { return nil }
        func rank(_ share: Double) -> Double {
            let index = Int((share * Double(sorted.count)).rounded(.up)) - 1
            return (sorted[Swift.min(Swift.max(index, 0), sorted.count - 1)] * 100).rounded() / 100
        }
        p50 = rank(0.5)
        p99 = rank(0.99)
        max = (last * 100).rounded() / 100
    }
}
