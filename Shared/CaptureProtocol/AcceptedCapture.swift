/// The state of a capture. `complete` can only become `withdrawn`, which is final; a failed one can be re-driven.
public enum CaptureStatus: String, Codable, Sendable { case processing, complete, failed, withdrawn }

/// The response to an upload of a capture: the server has the capture and is responsible for it from now on.
public struct AcceptedCapture: Codable, Sendable, Equatable {
    public let captureID: CaptureID
    /// `nil`, and absent, for a photo.
    public let type: CaptureType?
    public let status: CaptureStatus
    public let verificationURL: String

    public init(captureID: CaptureID, type: CaptureType?, status: CaptureStatus, verificationURL: String) {
        self.captureID = captureID
        self.type = type
        self.status = status
        self.verificationURL = verificationURL
    }

    enum CodingKeys: String, CodingKey {
        case captureID = "capture_id"
        case type, status
        case verificationURL = "verification_url"
    }
}
