public import Foundation

/// The `metadata` part of a video capture (SPEC §10.1). What else it says of the recording is kept in the stored bytes and not believed:
/// the server counts.
public struct VideoMetadata: Sendable, Equatable {
    /// `nil` only in the original layout.
    public let videoHash: ContentDigest?
    /// Bytes of the recording, as the chain covers them; `nil` only in the original layout.
    public let recordingBytes: [UInt8]?
    /// When the recording began.
    public let startedAt: Date
    public let deviceModel: String
    public let location: PreciseLocation?
    /// CBOR, in the original layout.
    public let assertion: [UInt8]?

    enum Keys: String, CodingKey {
        case type
        case videoHash = "video_hash"
        case recording
        case startedAt = "started_at"
        case deviceModel = "device_model"
        case location, assertion
        case endedAt = "ended_at"
        case durationMilliseconds = "duration_ms"
        case frameCount = "frame_count"
        case depthKeyframeCount = "depth_keyframe_count"
        case resolution, codec
        case isPartial = "is_partial"
        case checkpointIndex = "checkpoint_index"
        case nonce
    }

    /// - Parameter isOriginalLayout: whether the hash chain has the original layout (SPEC §10.5): then `video_hash` and `recording` may be
    ///   absent, and without `recording` its fields stand in the metadata.
    /// - Throws: ``MetadataError`` naming the field.
    public static func parse(_ bytes: [UInt8], isOriginalLayout: Bool) throws(MetadataError) -> VideoMetadata {
        guard bytes.count <= SizeLimits.metadata else {
            throw MetadataError(part: .metadata, "is larger than \(SizeLimits.metadata >> 10) KiB")
        }
        let reader = try MetadataReader(bytes)
        guard try reader.text(Keys.type.rawValue) == CaptureType.video.rawValue else {
            throw reader.error(Keys.type.rawValue, "must be \"\(CaptureType.video.rawValue)\"")
        }
        let assertion = isOriginalLayout ? try reader.base64(Keys.assertion.rawValue) : nil
        let videoHash = isOriginalLayout && !reader.isGiven(Keys.videoHash.rawValue) ? nil : try reader.digest(Keys.videoHash.rawValue)
        guard let recorded = try reader.base64(Keys.recording.rawValue) else {
            guard isOriginalLayout else { throw reader.error(Keys.recording.rawValue, "is missing") }
            return VideoMetadata(
                videoHash: videoHash, recordingBytes: nil, startedAt: try reader.time(Keys.startedAt.rawValue),
                deviceModel: try reader.shortText(Keys.deviceModel.rawValue), location: try reader.location(Keys.location.rawValue),
                assertion: assertion)
        }
        let recording = try VideoRecording.parse(recorded)
        return VideoMetadata(
            videoHash: videoHash, recordingBytes: recorded, startedAt: recording.startedAt, deviceModel: recording.deviceModel,
            location: recording.location, assertion: assertion)
    }
}

/// What a device writes into the `metadata` part of a video.
public struct VideoMetadataDraft: Encodable, Sendable {
    public let videoHash: ContentDigest
    public let recordingBytes: [UInt8]
    public let startedAt: Date
    public let durationMilliseconds: Int64
    public let frameCount: Int
    public let depthKeyframeCount: Int
    /// Pixels.
    public let width: Int
    public let height: Int
    /// "h264" or "hevc".
    public let codec: String
    /// Whether the recording was cut off.
    public let isPartial: Bool
    /// The index of the last signed checkpoint.
    public let checkpointIndex: Int?
    /// Random bytes, so that nobody can find out the rest from the digest by trying.
    public let nonce: [UInt8]?

    public init(
        videoHash: ContentDigest, recordingBytes: [UInt8], startedAt: Date, durationMilliseconds: Int64, frameCount: Int,
        depthKeyframeCount: Int, width: Int, height: Int, codec: String, isPartial: Bool, checkpointIndex: Int?,
        nonce: [UInt8]? = nil
    ) {
        self.videoHash = videoHash
        self.recordingBytes = recordingBytes
        self.startedAt = startedAt
        self.durationMilliseconds = durationMilliseconds
        self.frameCount = frameCount
        self.depthKeyframeCount = depthKeyframeCount
        self.width = width
        self.height = height
        self.codec = codec
        self.isPartial = isPartial
        self.checkpointIndex = checkpointIndex
        self.nonce = nonce
    }

    private enum SizeKeys: String, CodingKey { case width, height }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: VideoMetadata.Keys.self)
        try fields.encode(CaptureType.video, forKey: .type)
        try fields.encode(videoHash, forKey: .videoHash)
        try fields.encode(Base64Bytes(recordingBytes), forKey: .recording)
        let end = startedAt.addingTimeInterval(Double(durationMilliseconds) / 1000)
        try fields.encode(Timestamp.format(end), forKey: .endedAt)
        try fields.encode(durationMilliseconds, forKey: .durationMilliseconds)
        try fields.encode(frameCount, forKey: .frameCount)
        try fields.encode(depthKeyframeCount, forKey: .depthKeyframeCount)
        var size = fields.nestedContainer(keyedBy: SizeKeys.self, forKey: .resolution)
        try size.encode(width, forKey: .width)
        try size.encode(height, forKey: .height)
        try fields.encode(codec, forKey: .codec)
        try fields.encode(isPartial, forKey: .isPartial)
        try fields.encodeIfPresent(checkpointIndex, forKey: .checkpointIndex)
        try fields.encodeIfPresent(nonce.map(Base64Bytes.init), forKey: .nonce)
    }
}
