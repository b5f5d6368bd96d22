import CaptureProtocol
import Delivery
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
    /// Pixels of the picture of all depth keyframes; `nil` without it.
    let depthFramesSize: PixelSize?
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
        mediaHash = try row.digest("media_sha256")
        failure = try row.getOptional("failure", as: String.self).map(StableWord.init(text:))
        confidence = try row.wordIfPresent("confidence_level")
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
        // Earlier versions took texts that this one does not read. It is shown as reported only, so nothing else depends on it.
        detection = try row.getOptional("detection", as: PostgresJSON.self).flatMap { try? DetectionReport(stored: $0.bytes) }
        mediaNames = Set(try row.get("media_names", as: [String].self).compactMap(MediaName.init))
        depthFramesSize = try row.getOptional("depth_frames_size", as: PostgresJSON.self)?.decode(PixelSize.self)
        isRevoked = try row.get("is_revoked")
    }
}
