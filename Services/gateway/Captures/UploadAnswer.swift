import CaptureProtocol

/// The answer to a complete upload, kept for a client that lost it.
struct UploadAnswer: Codable, Sendable {
    /// False if the device had sent the same capture before.
    let isNew: Bool
    let capture: AcceptedCapture

    enum CodingKeys: String, CodingKey {
        case isNew = "is_new"
        case capture
    }
}
