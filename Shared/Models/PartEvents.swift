public import CaptureProtocol
import Foundation

/// Whether a service could process its part of a capture.
public enum PartOutcome: String, Codable, Sendable { case done, error }

/// A service has finished its part of a capture; its findings are in PostgreSQL (SPEC §1).
///
/// The event only wakes the assembler and is not trusted: only stored findings count.
public protocol PartEvent: Event, Equatable {
    /// The findings that the service stores.
    associatedtype Findings: Codable & Sendable & Equatable
    static var part: EvidencePart { get }
    var captureID: CaptureID { get }
    var outcome: PartOutcome { get }
    /// The reason for ``PartOutcome/error``.
    var reason: StableWord<FailureReason>? { get }
    init(captureID: CaptureID, outcome: PartOutcome, reason: StableWord<FailureReason>?)
}

extension PartEvent {
    public var partitionKey: String { captureID.description }
    public static func done(_ captureID: CaptureID) -> Self { Self(captureID: captureID, outcome: .done, reason: nil) }
    public static func failed(_ captureID: CaptureID, reason: FailureReason) -> Self {
        Self(captureID: captureID, outcome: .error, reason: StableWord(reason))
    }
}

/// The three parts of an evidence package.
public enum EvidencePart: String, Codable, Sendable, CaseIterable { case attestation, depth, media }

private enum PartKeys: String, CodingKey {
    case captureID = "capture_id"
    case outcome, reason
}

/// `attestation-verifier` appraised device and assertion.
public struct AttestationAppraised: PartEvent {
    public typealias Findings = AttestationFindings
    public static let topic = Topic.attestationAppraised
    public static let part = EvidencePart.attestation
    public let captureID: CaptureID
    public let outcome: PartOutcome
    public let reason: StableWord<FailureReason>?

    public init(captureID: CaptureID, outcome: PartOutcome, reason: StableWord<FailureReason>?) {
        self.captureID = captureID
        self.outcome = outcome
        self.reason = reason
    }

    private typealias CodingKeys = PartKeys
}

/// `depth-analyzer` measured the depth map.
public struct DepthAnalyzed: PartEvent {
    public typealias Findings = DepthFindings
    public static let topic = Topic.depthAnalyzed
    public static let part = EvidencePart.depth
    public let captureID: CaptureID
    public let outcome: PartOutcome
    public let reason: StableWord<FailureReason>?

    public init(captureID: CaptureID, outcome: PartOutcome, reason: StableWord<FailureReason>?) {
        self.captureID = captureID
        self.outcome = outcome
        self.reason = reason
    }

    private typealias CodingKeys = PartKeys
}

/// `upload-sync` stored the media under their final keys.
public struct MediaSynced: PartEvent {
    public typealias Findings = MediaFindings
    public static let topic = Topic.mediaSynced
    public static let part = EvidencePart.media
    public let captureID: CaptureID
    public let outcome: PartOutcome
    public let reason: StableWord<FailureReason>?

    public init(captureID: CaptureID, outcome: PartOutcome, reason: StableWord<FailureReason>?) {
        self.captureID = captureID
        self.outcome = outcome
        self.reason = reason
    }

    private typealias CodingKeys = PartKeys
}
/// A capture is complete, failed for now, or withdrawn; the evidence is in `captures`. Announced again with each later statement about it
/// (SPEC §14). Of a withdrawal the database's function `rial_withdraw` writes it.
public struct EvidenceAssembled: Event, Equatable {
    public static let topic = Topic.evidenceAssembled
    public let captureID: CaptureID
    public let status: CaptureStatus
    public let confidenceLevel: ConfidenceLevel?
    public let failure: StableWord<FailureReason>?
    public var partitionKey: String { captureID.description }

    public init(captureID: CaptureID, status: CaptureStatus, confidenceLevel: ConfidenceLevel?, failure: StableWord<FailureReason>?) {
        self.captureID = captureID
        self.status = status
        self.confidenceLevel = confidenceLevel
        self.failure = failure
    }

    enum CodingKeys: String, CodingKey {
        case captureID = "capture_id"
        case status
        case confidenceLevel = "confidence_level"
        case failure
    }
}

/// The confidence level: how strongly the evidence supports a capture (SPEC §3). Lower case in data; upper case is for display only.
public enum ConfidenceLevel: String, Codable, Sendable, CaseIterable { case high, medium, low, suspicious }
