public import CaptureProtocol

/// A capture was withdrawn (SPEC §6): its objects are to be deleted. The event only announces; the row decides.
public struct CaptureWithdrawn: Event, Equatable {
    public static let topic = Topic.captureWithdrawn
    public let captureID: CaptureID
    public var partitionKey: String { captureID.description }

    public init(captureID: CaptureID) { self.captureID = captureID }

    enum CodingKeys: String, CodingKey {
        case captureID = "capture_id"
    }
}
