import CaptureProtocol
import Models

/// The one sentence at the top of a finished record.
struct Headline: Sendable {
    let evidence: EvidencePackage
    let confidence: ConfidenceLevel
    let mode: CaptureMode
    /// In the order of the rows.
    let failed: [CheckRow.Check]
    let words: WordTable

    var text: String {
        if let first = failed.first {
            return failed.count == 1
                ? words("h1.suspicious", ["check": words("ck.\(first.rawValue)")])
                : words("h1.suspicious.many", ["n": String(failed.count)])
        }
        let isSigned = evidence.hardwareAttestation.status == .pass
        // Only what a device signed can have been signed by a test device.
        if isSigned, evidence.hardwareAttestation.developmentAttestation { return words("dev.h1") }
        if isSigned, mode == .hashOnly { return words("hash.h1") }
        switch confidence {
        // Which sensor measured is the model's word, and nobody attests that.
        case .high: return words(evidence.metadata.model.status == .pass ? "h1.high" : "h1.high.reported")
        case .medium where isSigned: return words(evidence.depthAnalysis.status == .unavailable ? "h1.medium.nodepth" : "h1.medium.device")
        case .medium: return words("h1.medium.depth")
        case .low, .suspicious: return words("h1.low")
        }
    }
}
