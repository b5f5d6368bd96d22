import CaptureProtocol
import Evidence
import Models
import Persistence

/// One service's findings, as reported in the event stream.
struct PartRow: Sendable {
    let part: EvidencePart
    let status: CheckStatus
    /// The status of a video's hash chain, which comes with the attestation's findings; `nil` without one.
    let chain: CheckStatus?
    /// The service dead-lettered its event; findings may still follow.
    let isGivenUp: Bool
    private let attestation: AttestationFindings?
    private let depth: DepthFindings?
    /// Whether a photo's depth map has the size of a LiDAR sensor's; true for other captures.
    private let hasSensorShape: Bool
    /// The element for this part in an event id.
    var token: String { isGivenUp ? part.rawValue + "-error" : part.rawValue }

    init?(_ row: Row) {
        guard let name = try? row.get("part", as: String.self), let part = EvidencePart(rawValue: name) else { return nil }
        self.part = part
        isGivenUp = (try? row.get("outcome", as: String.self)) == "error"
        let result = try? row.getOptional("result", as: PostgresJSON.self)
        attestation = part == .attestation ? try? result?.decode(AttestationFindings.self) : nil
        depth = part == .depth ? try? result?.decode(DepthFindings.self) : nil
        if let width = try? row.getOptional("depth_width", as: Int.self), let height = try? row.getOptional("depth_height", as: Int.self) {
            hasSensorShape = CaptureMetadata.isSensorShape(width: width, height: height)
        } else {
            hasSensorShape = true
        }
        chain = attestation?.hashChain?.status
        switch part {
        case .attestation: status = attestation?.appraisal.status ?? .unavailable
        case .depth: status = depth?.verdict == .real ? .pass : depth?.verdict == nil ? .unavailable : .inconclusive
        case .media: status = result == nil ? .unavailable : .pass
        }
    }

    /// The status as the evidence has it or will have it: what depth counts for depends on what the signature covers.
    /// - Parameter parts: those that there are of the capture.
    /// - Returns: `nil` while the part that it depends on is missing.
    func status(in capture: CaptureRow, among parts: [PartRow]) -> CheckStatus? {
        guard let depth else { return status }
        if let evidence = capture.evidence { return evidence.depthAnalysis.status }
        if let attestation = parts.compactMap(\.attestation).first {
            return EvidenceAssembly.depthStatus(depth, attestation: attestation, hasSensorShape: hasSensorShape)
        }
        return capture.status == .processing ? nil : status
    }
}
