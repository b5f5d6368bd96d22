public import CaptureProtocol
import Foundation

/// A capture was accepted: the response 201 was sent or is about to be. The data are in its row, as ``CaptureAnnouncement``.
public protocol CaptureArrival: Event {
    var captureID: CaptureID { get }
}

/// A photo was accepted, or a photo or a video in privacy mode, of which nothing has to be read.
public struct CaptureReceived: CaptureArrival, Equatable {
    public static let topic = Topic.captureReceived
    public let captureID: CaptureID
    public let kind: CaptureKind
    public var partitionKey: String { captureID.description }

    public init(captureID: CaptureID, kind: CaptureKind) {
        self.captureID = captureID
        self.kind = kind
    }

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

/// A video was accepted. It has a topic of its own, so that photos do not wait behind videos (SPEC §10.8).
public struct VideoReceived: CaptureArrival, Equatable {
    public static let topic = Topic.videoReceived
    public let captureID: CaptureID
    public var partitionKey: String { captureID.description }

    public init(captureID: CaptureID) { self.captureID = captureID }

    private enum CodingKeys: String, CodingKey { case captureID = "capture_id" }
}

extension CaptureAnnouncement {
    /// The event that announces the capture.
    public var arrival: any CaptureArrival { content.kind.arrival(of: captureID) }
}

extension CaptureKind {
    /// The event that announces an accepted capture of this kind.
    public func arrival(of capture: CaptureID) -> any CaptureArrival {
        switch self {
        case .photo, .hashOnly, .hashOnlyVideo: CaptureReceived(captureID: capture, kind: self)
        case .video: VideoReceived(captureID: capture)
        }
    }
}
