public import CaptureProtocol

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

    /// The capture is complete.
    public static func complete(_ capture: CaptureID, confidence: ConfidenceLevel?) -> EvidenceAssembled {
        EvidenceAssembled(captureID: capture, status: .complete, confidenceLevel: confidence, failure: nil)
    }

    /// The capture failed for now.
    public static func failed(_ capture: CaptureID, _ failure: StableWord<FailureReason>) -> EvidenceAssembled {
        EvidenceAssembled(captureID: capture, status: .failed, confidenceLevel: nil, failure: failure)
    }

    enum CodingKeys: String, CodingKey {
        case captureID = "capture_id"
        case status
        case confidenceLevel = "confidence_level"
        case failure
    }
}
