public import CaptureProtocol

/// Whether a service could process its part of a capture.
public enum PartOutcome: String, Codable, Sendable { case done, error }

/// A service has finished its part of a capture; its findings are in PostgreSQL (SPEC §1).
///
/// The event only wakes the assembler and is not trusted: only stored findings count.
public protocol PartEvent: Event, Equatable {
    /// The findings that the service stores.
    associatedtype Findings: PartFindings
    var captureID: CaptureID { get }
    var outcome: PartOutcome { get }
    /// The reason for ``PartOutcome/error``.
    var reason: StableWord<FailureReason>? { get }
    init(captureID: CaptureID, outcome: PartOutcome, reason: StableWord<FailureReason>?)
}

extension PartEvent {
    public static var topic: Topic { Findings.topic }
    public static var part: EvidencePart { Findings.part }
    public var partitionKey: String { captureID.description }
    public static func done(_ captureID: CaptureID) -> Self { Self(captureID: captureID, outcome: .done, reason: nil) }
    public static func failed(_ captureID: CaptureID, reason: FailureReason) -> Self {
        Self(captureID: captureID, outcome: .error, reason: StableWord(reason))
    }
}

/// What a service found out for its part.
public protocol PartFindings: Codable, Sendable, Equatable {
    static var part: EvidencePart { get }
    /// The topic of the event that announces them.
    static var topic: Topic { get }
}

/// The event of every part.
public struct PartFinished<Findings: PartFindings>: PartEvent {
    public let captureID: CaptureID
    public let outcome: PartOutcome
    public let reason: StableWord<FailureReason>?

    public init(captureID: CaptureID, outcome: PartOutcome, reason: StableWord<FailureReason>?) {
        self.captureID = captureID
        self.outcome = outcome
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey {
        case captureID = "capture_id"
        case outcome, reason
    }
}

/// `attestation-verifier` appraised device and assertion.
public typealias AttestationAppraised = PartFinished<AttestationFindings>
/// `depth-analyzer` measured the depth map.
public typealias DepthAnalyzed = PartFinished<DepthFindings>
/// `upload-sync` stored the media under their final keys.
public typealias MediaSynced = PartFinished<MediaFindings>

extension AttestationFindings: PartFindings {
    public static let part = EvidencePart.attestation
    public static let topic = Topic.attestationAppraised
}

extension DepthFindings: PartFindings {
    public static let part = EvidencePart.depth
    public static let topic = Topic.depthAnalyzed
}

extension MediaFindings: PartFindings {
    public static let part = EvidencePart.media
    public static let topic = Topic.mediaSynced
}
