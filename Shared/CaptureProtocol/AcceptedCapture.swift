/// The state of a capture. `complete` can only become `withdrawn`, which is final; a failed one can be re-driven.
public enum CaptureStatus: String, Codable, Sendable { case processing, complete, failed, withdrawn }

/// The response to `POST /api/v1/captures`: the server has the capture and is responsible for it from now on.
public struct AcceptedCapture: Codable, Sendable, Equatable {
    public let captureID: CaptureID
    public let status: CaptureStatus
    public let verificationURL: String

    public init(captureID: CaptureID, status: CaptureStatus, verificationURL: String) {
        self.captureID = captureID
        self.status = status
        self.verificationURL = verificationURL
    }

    enum CodingKeys: String, CodingKey {
        case captureID = "capture_id"
        case status
        case verificationURL = "verification_url"
    }
}
