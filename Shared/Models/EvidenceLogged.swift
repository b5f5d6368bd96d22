public import CaptureProtocol

/// Statements about a capture are in a published tree of the public log (SPEC §14). The event only announces: index and origin are in
/// PostgreSQL.
public struct EvidenceLogged: Event, Equatable {
    public static let topic = Topic.evidenceLogged
    public let captureID: CaptureID
    public var partitionKey: String { captureID.description }

    public init(captureID: CaptureID) { self.captureID = captureID }

    enum CodingKeys: String, CodingKey {
        case captureID = "capture_id"
    }
}
