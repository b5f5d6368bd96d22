/// What a device tells of a video in privacy mode (SPEC §10.11), as it counted and measured it.
public struct SignedVideo: Sendable, Equatable {
    /// The longest video in milliseconds (SPEC §10.1).
    public static let longest = 15_500

    /// 1...``longest``.
    public let durationMilliseconds: Int
    /// The number of frames, within ``HashChain/frameCounts``.
    public let frameCount: Int
    /// The last hash of its chain (SPEC §10.2), which its owner can compute again from the file.
    public let finalHash: ContentDigest
    /// `nil` if the device has no depth of the video.
    public let depth: SignedVideoDepth?

    public init(durationMilliseconds: Int, frameCount: Int, finalHash: ContentDigest, depth: SignedVideoDepth?) {
        self.durationMilliseconds = durationMilliseconds
        self.frameCount = frameCount
        self.finalHash = finalHash
        self.depth = depth
    }

    enum Keys: String, CodingKey {
        case duration = "duration_ms"
        case frames = "frame_count"
        case finalHash = "final_hash"
    }

    /// Reads `video`, without the depth.
    init(_ reader: MetadataReader) throws(MetadataError) {
        try reader.close([Keys.duration, .frames, .finalHash])
        self.init(
            durationMilliseconds: try reader.integer(Keys.duration.rawValue, in: 1...Self.longest),
            frameCount: try reader.integer(Keys.frames.rawValue, in: HashChain.frameCounts),
            finalHash: try reader.hexDigest(Keys.finalHash.rawValue), depth: nil)
    }

    func with(depth: SignedVideoDepth) -> SignedVideo {
        SignedVideo(durationMilliseconds: durationMilliseconds, frameCount: frameCount, finalHash: finalHash, depth: depth)
    }
}

extension SignedVideo: Encodable {
    /// Without the depth, which stands beside it.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Keys.self)
        try members.encode(durationMilliseconds, forKey: .duration)
        try members.encode(frameCount, forKey: .frames)
        try members.encode(finalHash, forKey: .finalHash)
    }
}
