public import CaptureProtocol
import Foundation
public import Models

/// `app.rial.hash_chain.v1` (docs/schemas): which part of a video its hardware signatures cover.
public struct HashChainAssertion: Codable, Sendable, Equatable {
    public let status: CheckStatus
    public let reason: StableWord<HashChainReason>?
    public let verifiedFrames: Int
    public let totalFrames: Int
    public let verifiedMilliseconds: Int64
    public let durationMilliseconds: Int64

    init(_ evidence: HashChainEvidence) {
        status = evidence.status
        reason = evidence.reason
        verifiedFrames = evidence.verifiedFrames
        totalFrames = evidence.totalFrames
        verifiedMilliseconds = evidence.verifiedMilliseconds
        durationMilliseconds = evidence.durationMilliseconds
    }

    enum CodingKeys: String, CodingKey {
        case status, reason
        case verifiedFrames = "verified_frames"
        case totalFrames = "total_frames"
        case verifiedMilliseconds = "verified_duration_ms"
        case durationMilliseconds = "duration_ms"
    }
}

/// `app.rial.video.v1` (docs/schemas): what the video is.
public struct VideoAssertion: Codable, Sendable, Equatable {
    /// `nil` unless the time check passed and the hardware signature covers the time.
    public let startedAt: SharedTime?
    /// `nil` likewise, and where only the beginning is signed: its end may be anybody's.
    public let endedAt: SharedTime?
    public let durationMilliseconds: Int64
    public let frameCount: Int
    public let codec: String?
    /// Pixels as stored.
    public let width: Int?
    public let height: Int?

    init(_ facts: VideoFacts, isBound: Bool, isEndSigned: Bool) {
        startedAt = isBound ? facts.startedAt : nil
        endedAt = isBound && isEndSigned ? facts.endedAt : nil
        durationMilliseconds = facts.durationMilliseconds
        frameCount = facts.frameCount
        codec = facts.codec
        width = facts.width
        height = facts.height
    }

    enum CodingKeys: String, CodingKey {
        case startedAt = "started_at"
        case endedAt = "ended_at"
        case durationMilliseconds = "duration_ms"
        case frameCount = "frame_count"
        case codec, width, height
    }
}
