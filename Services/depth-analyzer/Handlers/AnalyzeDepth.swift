import Delivery
import Metrics
import Models

/// Measures the depth map of a capture, and makes all pictures of its photo. The same bytes give the same numbers, so that the first ones
/// stand until the capture fails: then its photo may be another.
struct AnalyzeDepth: PartWork {
    typealias Part = DepthAnalyzed
    let analysis: CaptureAnalysis

    /// What failed is looked at anew: its bytes may have come again. So is what has no pictures, because another version made them elsewhere.
    func isOutdated(_ stored: DepthFindings, isFailed: Bool) -> Bool { isFailed || stored.pictures == nil }

    func compute(_ announcement: CaptureAnnouncement) async throws -> DepthFindings { try await analysis.run(announcement) }

    func count(_ findings: DepthFindings) {
        let verdict = findings.measurements?.verdict.rawValue ?? "unavailable"
        Counter(label: "rial_depth_analyses_total", dimensions: [("verdict", verdict)]).increment()
    }
}
