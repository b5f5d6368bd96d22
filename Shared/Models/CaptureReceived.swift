public import CaptureProtocol
import Foundation

/// A capture was accepted: the response 201 was sent or is about to be. The data are in its row, as ``CaptureAnnouncement``.
public struct CaptureReceived: Event, Equatable {
    public static let topic = Topic.captureReceived
    public let captureID: CaptureID
    public let kind: CaptureKind
    public var partitionKey: String { captureID.description }

    public init(captureID: CaptureID, kind: CaptureKind) {
        self.captureID = captureID
        self.kind = kind
    }

    public init(_ announcement: CaptureAnnouncement) { self.init(captureID: announcement.captureID, kind: announcement.content.kind) }

    enum CodingKeys: String, CodingKey {
        case captureID = "capture_id"
        case type, mode
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        captureID = try container.decode(CaptureID.self, forKey: .captureID)
        kind = try container.decodeKind(.type, .mode)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(captureID, forKey: .captureID)
        try container.encode(kind.type, forKey: .type)
        try container.encode(kind.mode, forKey: .mode)
    }
}
