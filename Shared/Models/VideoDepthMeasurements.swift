public import CaptureProtocol

/// The measurements and the verdict of the depth analysis of a video (SPEC §10.6). All numbers are finite; unknown ones are `null`.
public struct VideoDepthMeasurements: Codable, Sendable, Equatable {
    /// Mean share of depth that agrees with the keyframe before it along the motion in the picture, 0...1.
    public var depthConsistency: Double?
    /// Share of moving places in which depth moves with the picture, 0...1 (chance is a third); `nil` where nothing moved.
    public var motionCoherence: Double?
    /// Share of neighbouring keyframes that agree, 0...1.
    public var sceneStability: Double?
    /// How much more contrast the picture has at depth edges than beside them, −1...1, as a difference of ranks.
    public var edgeAlignment: Double?
    /// Shares of the keyframes with these verdicts, 0...1.
    public var realShare: Double
    public var flatShare: Double
    /// Number of keyframes.
    public var keyframes: Int
    /// Sample numbers of keyframes that are flat, do not agree with the one before, or are identical to it; ascending.
    public var suspiciousFrames: [Int]
    /// The analysis of every keyframe, in order of time.
    public var frameAnalyses: [VideoFrameAnalysis]
    /// Median over the keyframes with a fitted surface, 0...1.
    public var relief: Double?
    /// Metres, over all keyframes; `nil` without a valid pixel.
    public var minDepth: Double?
    public var maxDepth: Double?
    /// Share of pixels that are valid, over all keyframes, 0...1.
    public var coverage: Double
    public var verdict: DepthVerdict
    /// Whether the four thresholds of the specification alone would give the verdict `real`.
    public var specifiedRule: Bool
    /// `relief-video-1`.
    public var method: String
    /// `nil` unless the verdict is `undecided`.
    public var reason: StableWord<VideoDepthReason>?
    /// Quarter turns clockwise that bring the depth maps upright with the video, 0...3.
    public var rotation: Int
    /// The part of the frame that depth covers.
    public var framing: VideoDepthFraming

    public var isLikelyRealScene: Bool { verdict == .real }

    public init(
        depthConsistency: Double?, motionCoherence: Double?, sceneStability: Double?, edgeAlignment: Double?, realShare: Double,
        flatShare: Double, suspiciousFrames: [Int], frameAnalyses: [VideoFrameAnalysis], relief: Double?, minDepth: Double?,
        maxDepth: Double?, coverage: Double, verdict: DepthVerdict, specifiedRule: Bool, method: String, reason: VideoDepthReason?,
        rotation: Int, framing: VideoDepthFraming
    ) {
        self.depthConsistency = depthConsistency
        self.motionCoherence = motionCoherence
        self.sceneStability = sceneStability
        self.edgeAlignment = edgeAlignment
        self.realShare = realShare
        self.flatShare = flatShare
        keyframes = frameAnalyses.count
        self.suspiciousFrames = suspiciousFrames
        self.frameAnalyses = frameAnalyses
        self.relief = relief
        self.minDepth = minDepth
        self.maxDepth = maxDepth
        self.coverage = coverage
        self.verdict = verdict
        self.specifiedRule = specifiedRule
        self.method = method
        self.reason = reason.map(StableWord.init)
        self.rotation = rotation
        self.framing = framing
    }

    enum CodingKeys: String, CodingKey {
        case depthConsistency = "depth_consistency"
        case motionCoherence = "motion_coherence"
        case sceneStability = "scene_stability"
        case edgeAlignment = "edge_alignment"
        case realShare = "real_share"
        case flatShare = "flat_share"
        case keyframes
        case suspiciousFrames = "suspicious_frames"
        case frameAnalyses = "frame_analyses"
        case relief
        case minDepth = "min_depth"
        case maxDepth = "max_depth"
        case coverage, verdict
        case specifiedRule = "specified_rule"
        case method, reason, rotation, framing
        case isLikelyRealScene = "is_likely_real_scene"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        depthConsistency = try container.decodeIfPresent(Double.self, forKey: .depthConsistency)
        motionCoherence = try container.decodeIfPresent(Double.self, forKey: .motionCoherence)
        sceneStability = try container.decodeIfPresent(Double.self, forKey: .sceneStability)
        edgeAlignment = try container.decodeIfPresent(Double.self, forKey: .edgeAlignment)
        realShare = try container.decode(Double.self, forKey: .realShare)
        flatShare = try container.decode(Double.self, forKey: .flatShare)
        keyframes = try container.decode(Int.self, forKey: .keyframes)
        suspiciousFrames = try container.decode([Int].self, forKey: .suspiciousFrames)
        frameAnalyses = try container.decode([VideoFrameAnalysis].self, forKey: .frameAnalyses)
        relief = try container.decodeIfPresent(Double.self, forKey: .relief)
        minDepth = try container.decodeIfPresent(Double.self, forKey: .minDepth)
        maxDepth = try container.decodeIfPresent(Double.self, forKey: .maxDepth)
        coverage = try container.decode(Double.self, forKey: .coverage)
        verdict = try container.decode(DepthVerdict.self, forKey: .verdict)
        specifiedRule = try container.decode(Bool.self, forKey: .specifiedRule)
        method = try container.decode(String.self, forKey: .method)
        reason = try container.decodeIfPresent(StableWord<VideoDepthReason>.self, forKey: .reason)
        rotation = try container.decode(Int.self, forKey: .rotation)
        framing = try container.decode(VideoDepthFraming.self, forKey: .framing)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(depthConsistency, forKey: .depthConsistency)
        try container.encode(motionCoherence, forKey: .motionCoherence)
        try container.encode(sceneStability, forKey: .sceneStability)
        try container.encode(edgeAlignment, forKey: .edgeAlignment)
        try container.encode(realShare, forKey: .realShare)
        try container.encode(flatShare, forKey: .flatShare)
        try container.encode(keyframes, forKey: .keyframes)
        try container.encode(suspiciousFrames, forKey: .suspiciousFrames)
        try container.encode(frameAnalyses, forKey: .frameAnalyses)
        try container.encode(relief, forKey: .relief)
        try container.encode(minDepth, forKey: .minDepth)
        try container.encode(maxDepth, forKey: .maxDepth)
        try container.encode(coverage, forKey: .coverage)
        try container.encode(verdict, forKey: .verdict)
        try container.encode(specifiedRule, forKey: .specifiedRule)
        try container.encode(method, forKey: .method)
        try container.encode(reason, forKey: .reason)
        try container.encode(rotation, forKey: .rotation)
        try container.encode(framing, forKey: .framing)
        try container.encode(isLikelyRealScene, forKey: .isLikelyRealScene)
    }
}

extension VideoDepthMeasurements {
    /// The measurements that a device signed, with the verdict that follows from them (SPEC §10.11).
    public init(_ signed: SignedVideoDepth) {
        self.init(
            depthConsistency: signed.depthConsistency, motionCoherence: signed.motionCoherence, sceneStability: signed.sceneStability,
            edgeAlignment: signed.edgeAlignment, realShare: signed.realShare, flatShare: signed.flatShare,
            suspiciousFrames: signed.suspiciousFrames, frameAnalyses: [], relief: signed.relief, minDepth: signed.minDepth,
            maxDepth: signed.maxDepth, coverage: signed.coverage, verdict: signed.verdict, specifiedRule: signed.isMetAsSpecified,
            method: VideoDepthRule.method, reason: signed.reasonOfRule, rotation: 0, framing: .whole)
        keyframes = signed.keyframes
    }

    /// What a device signs of its measurements; the rest follows from it.
    /// - Parameter durationMilliseconds: of the video, rounded or cut off.
    public func signed(durationMilliseconds: Int) -> SignedVideoDepth {
        SignedVideoDepth(
            durationMilliseconds: durationMilliseconds, depthConsistency: depthConsistency, motionCoherence: motionCoherence,
            sceneStability: sceneStability,
            edgeAlignment: edgeAlignment, realShare: realShare, flatShare: flatShare, keyframes: keyframes,
            suspiciousFrames: suspiciousFrames, relief: relief, minDepth: minDepth, maxDepth: maxDepth, coverage: coverage,
            reason: reason?.known)
    }
}

/// The part of a video's frame that its depth maps cover.
public enum VideoDepthFraming: String, Codable, Sendable {
    /// All of it, stretched to the map's proportions.
    case whole
    /// The largest part in the middle that has the map's proportions.
    case middle
}
