import CaptureProtocol
import Evidence
import Models
import TransparencyLog

/// Computes the confidence of an evidence again (SPEC §3, §10.4).
enum ConfidenceExaminer {
    /// - Returns: `nil` if the evidence was judged by another version of the rule.
    static func confidence(of evidence: CheckedEvidence) -> Verdict.Confidence? {
        guard let hardware = CheckStatus(evidence.hardware), let depth = CheckStatus(evidence.depth) else { return nil }
        let metadata = evidence.metadata.compactMap { CheckStatus($0) }
        let versions: [String: String]
        let level: ConfidenceLevel
        switch evidence.kind {
        case .photo, .hashOnly, .hashOnlyVideo:
            versions = EvidenceAssembly.algorithmVersions
            level = ConfidenceRule.confidence(hardware: hardware, depth: depth, metadata: metadata)
        case .video:
            versions = EvidenceAssembly.videoVersions
            level = ConfidenceRule.confidence(
                hardware: hardware, hashChain: evidence.hashChain.flatMap { CheckStatus($0) } ?? .unavailable, depth: depth,
                metadata: metadata)
        }
        // The example of SPEC §14 names the rule by its number alone.
        guard let version = evidence.algorithms["confidence"], version == versions["confidence"] || version == "1" else { return nil }
        return Verdict.Confidence(rawValue: level.rawValue)
    }
}

extension CheckStatus {
    fileprivate init?(_ status: CheckedEvidence.Status) { self.init(rawValue: status.rawValue) }
}
