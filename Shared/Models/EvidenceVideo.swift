public import CaptureProtocol
import Foundation

/// What a video is, as counted by the server (SPEC §10.6), or of a hash-only one as its device reported (SPEC §10.11). What is unknown is
/// absent.
public struct VideoFacts: Codable, Sendable, Equatable {
    public var durationMilliseconds: Int64
    public var frameCount: Int
    /// `h264` or `hevc`; `nil` if only the hash is known, as the next four.
    public var codec: String?
    /// Pixels as stored, before rotation.
    public var width: Int?
    public var height: Int?
    /// Degrees clockwise: 0, 90, 180 or 270.
    public var rotation: Int?
    public var hasAudio: Bool?
    /// As the recording says.
    public var startedAt: SharedTime
    /// ``startedAt`` plus the duration.
    public var endedAt: SharedTime
    /// The codecs of pictures and sound as browsers want them (RFC 6381); `nil` if unknown.
    public var codecs: String?
    /// The last hash of the chain, of a video of which only the hash is known.
    public var finalHash: ContentDigest?

    /// The facts of a hash-only video, as the device reported them.
    public init(_ reported: SignedVideo, startedAt: SharedTime) {
        durationMilliseconds = Int64(reported.durationMilliseconds)
        frameCount = reported.frameCount
        finalHash = reported.finalHash
        self.startedAt = startedAt
        endedAt =
            if case .exact(let date) = startedAt {
                .exact(date.addingTimeInterval(Double(reported.durationMilliseconds) / 1000))
            } else {
                startedAt
            }
    }

    public init(
        durationMilliseconds: Int64, frameCount: Int, codec: String, width: Int, height: Int, rotation: Int, hasAudio: Bool,
        startedAt: SharedTime, endedAt: SharedTime, codecs: String? = nil
    ) {
        self.codecs = codecs
        self.durationMilliseconds = durationMilliseconds
        self.frameCount = frameCount
        self.codec = codec
        self.width = width
        self.height = height
        self.rotation = rotation
        self.hasAudio = hasAudio
        self.startedAt = startedAt
        self.endedAt = endedAt
    }

    /// The same times, no more exact than the precision.
    func shared(_ precision: TimePrecision) -> VideoFacts {
        var shared = self
        shared.startedAt = startedAt.limited(to: precision)
        shared.endedAt = endedAt.limited(to: precision)
        return shared
    }

    enum CodingKeys: String, CodingKey {
        case durationMilliseconds = "duration_ms"
        case frameCount = "frame_count"
        case codec, codecs, width, height, rotation
        case hasAudio = "has_audio"
        case startedAt = "started_at"
        case endedAt = "ended_at"
        case finalHash = "final_hash"
    }
}

/// A checkpoint of a video's chain, as shown.
public struct CheckpointEvidence: Codable, Sendable, Equatable {
    public var index: Int
    /// How many samples it covers.
    public var frames: Int
    /// How much of the video those are, in milliseconds.
    public var timeMilliseconds: Int64
    /// Whether an accepted signature covers it, as stored; ``HashChainEvidence/isSigned(_:)`` asks for an intact chain too.
    public var isSigned: Bool

    public init(index: Int, frames: Int, timeMilliseconds: Int64, isSigned: Bool) {
        self.index = index
        self.frames = frames
        self.timeMilliseconds = timeMilliseconds
        self.isSigned = isSigned
    }

    enum CodingKeys: String, CodingKey {
        case index, frames
        case timeMilliseconds = "time_ms"
        case isSigned = "signed"
    }
}

/// The check of a video's hash chain (SPEC §10.4).
public struct HashChainEvidence: Codable, Sendable, Equatable {
    public var status: CheckStatus
    public var reason: StableWord<HashChainReason>?
    /// 2, or 1 for the original layout.
    public var version: Int
    /// `nil` where it cannot be computed again.
    public var isIntact: Bool?
    /// Whether an accepted signature covers at least a part of the video.
    public var isAttested: Bool
    public var verifiedFrames: Int
    public var totalFrames: Int
    public var verifiedMilliseconds: Int64
    public var durationMilliseconds: Int64
    /// The first frame whose hash differs; `nil` if none does.
    public var breakAtFrame: Int?
    public var checkpoints: [CheckpointEvidence]

    public init(
        status: CheckStatus, reason: HashChainReason?, version: Int, isIntact: Bool?, isAttested: Bool, verifiedFrames: Int,
        totalFrames: Int, verifiedMilliseconds: Int64, durationMilliseconds: Int64, breakAtFrame: Int?, checkpoints: [CheckpointEvidence]
    ) {
        self.status = status
        self.reason = reason.map(StableWord.init)
        self.version = version
        self.isIntact = isIntact
        self.isAttested = isAttested
        self.verifiedFrames = verifiedFrames
        self.totalFrames = totalFrames
        self.verifiedMilliseconds = verifiedMilliseconds
        self.durationMilliseconds = durationMilliseconds
        self.breakAtFrame = breakAtFrame
        self.checkpoints = checkpoints
    }

    /// The evidence of a hash-only video: the server has nothing to compute a chain from.
    public init(notStored video: SignedVideo) {
        self.init(
            status: .unavailable, reason: .mediaNotStored, version: HashChain.version, isIntact: nil, isAttested: false, verifiedFrames: 0,
            totalFrames: video.frameCount, verifiedMilliseconds: 0, durationMilliseconds: Int64(video.durationMilliseconds),
            breakAtFrame: nil, checkpoints: [])
    }

    /// Whether an accepted signature covers the checkpoint. It is over hashes that the sender states, which are those of this video only
    /// where the chain is intact.
    public func isSigned(_ checkpoint: CheckpointEvidence) -> Bool { checkpoint.isSigned && isIntact == true }

    enum CodingKeys: String, CodingKey {
        case status, reason, version
        case isIntact = "chain_intact"
        case isAttested = "attestation_valid"
        case verifiedFrames = "verified_frames"
        case totalFrames = "total_frames"
        case verifiedMilliseconds = "verified_duration_ms"
        case durationMilliseconds = "duration_ms"
        case breakAtFrame = "break_at_frame"
        case checkpoints
    }

    /// Unknown fields are `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(reason, forKey: .reason)
        try container.encode(version, forKey: .version)
        try container.encode(isIntact, forKey: .isIntact)
        try container.encode(isAttested, forKey: .isAttested)
        try container.encode(verifiedFrames, forKey: .verifiedFrames)
        try container.encode(totalFrames, forKey: .totalFrames)
        try container.encode(verifiedMilliseconds, forKey: .verifiedMilliseconds)
        try container.encode(durationMilliseconds, forKey: .durationMilliseconds)
        try container.encode(breakAtFrame, forKey: .breakAtFrame)
        try container.encode(checkpoints, forKey: .checkpoints)
    }
}

/// Whether only the beginning of a recording is signed (SPEC §10.6).
public struct PartialAttestationEvidence: Codable, Sendable, Equatable {
    public var isPartial: Bool
    public var verifiedMilliseconds: Int64
    /// The index of the last signed checkpoint; `nil` without one.
    public var checkpointIndex: Int?
    public var reason: StableWord<HashChainReason>?

    public init(_ chain: HashChainEvidence) {
        isPartial = chain.reason == StableWord(.partial)
        verifiedMilliseconds = chain.verifiedMilliseconds
        checkpointIndex = chain.checkpoints.last(where: chain.isSigned)?.index
        reason = isPartial ? chain.reason : nil
    }

    enum CodingKeys: String, CodingKey {
        case isPartial = "is_partial"
        case verifiedMilliseconds = "verified_duration_ms"
        case checkpointIndex = "checkpoint_index"
        case reason
    }

    /// Unknown fields are `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isPartial, forKey: .isPartial)
        try container.encode(verifiedMilliseconds, forKey: .verifiedMilliseconds)
        try container.encode(checkpointIndex, forKey: .checkpointIndex)
        try container.encode(reason, forKey: .reason)
    }
}
