import Delivery
import Metrics
import Models

/// Measures the depth map of a capture and stores its preview picture. The same bytes give the same numbers, so that the first ones stand.
struct AnalyzeDepth: PartWork {
    typealias Part = DepthAnalyzed
    let analysis: CaptureAnalysis

    func compute(_ announcement: CaptureAnnouncement) async throws -> DepthFindings { try await analysis.run(announcement) }

    func count(_ findings: DepthFindings) {
        let verdict = findings.measurements?.verdict.rawValue ?? "unavailable"
        Counter(label: "rial_depth_analyses_total", dimensions: [("verdict", verdict)]).increment()
    }
}
