import CaptureProtocol
import Evidence
import Foundation
import Models
import Persistence

/// The current state of a capture.
struct CaptureRow: Sendable {
    let id: CaptureID
    let shortID: String
    let deviceID: DeviceID
    let kind: CaptureKind
    let status: CaptureStatus
    let failure: StableWord<FailureReason>?
    let confidence: ConfidenceLevel?
    let mediaHash: ContentDigest
    /// When it was captured, as exactly as the device shares it.
    let capturedAt: SharedTime
    let uploadedAt: Date
    /// When it became final; `nil` while it is processed.
    let completedAt: Date?
    /// What the device shares of a hash-only capture; `nil` for one with media, which shares everything.
    let flags: MetadataFlags?
    let evidence: EvidencePackage?
    let location: PreciseLocation?
    let detection: DetectionReport?
    let mediaNames: Set<MediaName>
    /// Whether the last statement about it takes its verdict back (SPEC §14).
    let isRevoked: Bool

    /// What the public sees of the evidence.
    var publicEvidence: EvidencePackage? { evidence?.publicForm(sharing: flags ?? .everything) }

    /// When the public sees that the capture was received.
    var publicUploadedAt: SharedTime { SharedTime(uploadedAt, (flags ?? .everything).receipt) }
}

extension CaptureRow {
    /// - Throws: `WithdrawnCapture` if the capture was withdrawn: the row has nothing more.
    init(_ row: Row) throws {
        if let time = try row.getOptional("withdrawn_at", as: Date.self) { throw WithdrawnCapture(withdrawnAt: time) }
        id = CaptureID(try row.get("id", as: UUID.self))
        shortID = try row.get("short_id")
        deviceID = DeviceID(try row.get("device_id", as: UUID.self))
        guard let kind = CaptureKind(type: try row.get("type"), mode: try row.get("capture_mode")) else {
            throw PostgresError(code: .decoding, message: "columns type and capture_mode are no kind of capture")
        }
        self.kind = kind
        status = try row.word("status")
        guard let hash = ContentDigest(bytes: try row.get("media_sha256", as: [UInt8].self)) else {
            throw PostgresError(code: .decoding, message: "column media_sha256 is not a SHA-256")
        }
        mediaHash = hash
        failure = try row.getOptional("failure", as: String.self).map(StableWord.init(text:))
        confidence = try row.getOptional("confidence_level", as: String.self).flatMap(ConfidenceLevel.init(rawValue:))
        uploadedAt = try row.get("uploaded_at")
        completedAt = try row.getOptional("completed_at")
        flags = try row.getOptional("metadata_flags", as: PostgresJSON.self)?.decode(MetadataFlags.self)
        let precision = try row.word("captured_precision", as: TimePrecision.self)
        guard let capturedAt = SharedTime(column: try row.getOptional("captured_at"), precision: precision) else {
            throw PostgresError(code: .decoding, message: "column captured_at does not fit column captured_precision")
        }
        self.capturedAt = capturedAt
        evidence = try row.getOptional("evidence", as: PostgresJSON.self)?.decode(EvidencePackage.self)
        location = try row.getOptional("location", as: PostgresJSON.self)?.decode(PreciseLocation.self)
        detection = try row.getOptional("detection", as: PostgresJSON.self).map { try DetectionReport(stored: $0.bytes) }
        mediaNames = Set(try row.get("media_names", as: [String].self).compactMap(MediaName.init))
        isRevoked = try row.get("is_revoked")
    }
}

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
