public import CaptureProtocol

/// What is known of a video beyond what is known of every capture.
public struct RecordingFacts: Sendable, Equatable, Codable {
    /// SHA-256 of the `hash_chain` part.
    public internal(set) var hashChainDigest: ContentDigest
    public let isQuickTime: Bool
    public let durationMilliseconds: Int64
    public let frameCount: Int
    public let soundPacketCount: Int
    public let depthCount: Int
    public let checkpointCount: Int
    public internal(set) var signedCheckpointCount: Int
    /// The device whose hardware signed the checkpoints; `nil` if none is signed.
    public internal(set) var signer: DeviceID?
    /// Whether the recording was cut off: it has no assertion of its end, and gets none.
    public let isPartial: Bool
}
