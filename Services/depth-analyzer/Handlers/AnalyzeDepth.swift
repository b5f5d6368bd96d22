import CaptureProtocol
import Delivery
import Metrics
import Models

/// Measures the depth map of a capture and makes all pictures of its photo. Deterministic: the first findings stand unless the capture
/// failed, since then its photo may have been replaced.
struct AnalyzeDepth: PartWork {
    typealias Part = DepthAnalyzed
    let analysis: CaptureAnalysis

    /// Failed captures are analyzed again: their bytes may have been uploaded again. So are findings without pictures, from a version in
    /// which another service made them.
    func isOutdated(_ stored: DepthFindings, isFailed: Bool) -> Bool { isFailed || stored.pictures == nil }

    func compute(_ announcement: CaptureAnnouncement) async throws -> DepthFindings { try await analysis.run(announcement) }

    func count(_ findings: DepthFindings) {
        let verdict = findings.verdict?.rawValue ?? "unavailable"
        Counter(label: "rial_depth_analyses_total", dimensions: [("verdict", verdict)]).increment()
    }
}
