public import CaptureProtocol
public import Models

/// A capture as `GET /api/v1/captures/{id}` returns it (SPEC §6).
public struct CaptureRecord: Sendable {
    /// The whole response.
    public let json: JSONValue
    public let id: CaptureID
    public let status: CaptureStatus
    /// Absent while processing.
    public let confidenceLevel: ConfidenceLevel?

    /// - Throws: ``APIFailure`` `invalidResponse`.
    public init(json: JSONValue) throws {
        guard let id = json["id"]?.string.flatMap(CaptureID.init), let status = json["status"]?.string.flatMap(CaptureStatus.init)
        else { throw APIFailure(.invalidResponse, "the response is not a capture") }
        self.json = json
        self.id = id
        self.status = status
        confidenceLevel = json["confidence_level"]?.string.flatMap(ConfidenceLevel.init)
    }

    /// Whether it is complete, or failed, which is final unless the capture is re-driven.
    public var isFinal: Bool { status != .processing }
    public var failure: String? { json["failure"]?.string }
    public var evidence: JSONValue? { json["evidence"] }
    public var verificationURL: String? { json["verification_url"]?.string }
}
