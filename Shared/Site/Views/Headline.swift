import CaptureProtocol
import Models

/// The headline of a complete record, one sentence.
struct Headline: Sendable {
    let evidence: EvidencePackage
    let confidence: ConfidenceLevel
    let mode: CaptureMode
    /// In the order of the rows.
    let failed: [CheckRow.Check]
    let strings: StringTable

    var text: String {
        if let first = failed.first {
            return failed.count == 1
                ? strings("h1.suspicious", ["check": strings("ck.\(first.rawValue)")])
                : strings("h1.suspicious.many", ["n": String(failed.count)])
        }
        let isSigned = evidence.hardwareAttestation.status == .pass
        // Where only the beginning is signed, nothing is said of the whole, whatever its depth is.
        let isPartial = isSigned && evidence.partialAttestation?.isPartial == true
        // Only a signed capture can have been signed by a test device.
        if isSigned, evidence.hardwareAttestation.developmentAttestation { return strings(isPartial ? "dev.h1.partial" : "dev.h1") }
        if isSigned, mode == .hashOnly { return strings("hash.h1") }
        switch confidence {
        // The stated model implies the sensor. It is not attested, but must be signed.
        case .high:
            return strings(evidence.coversMetadata && evidence.metadata.model.status == .pass ? "h1.high" : "h1.high.reported")
        case .medium where isPartial: return strings("h1.medium.partial")
        case .medium where isSigned:
            return strings(evidence.depthAnalysis.status == .unavailable ? "h1.medium.nodepth" : "h1.medium.device")
        case .medium: return strings("h1.medium.depth")
        case .low, .suspicious: return strings("h1.low")
        }
    }
}
