/// The measurements of a video's depth as a device signs them in privacy mode (SPEC §10.11): those of method `relief-video-1` without the
/// list of keyframes. The verdict is not among them: it follows from them.
public struct SignedVideoDepth: Sendable, Equatable {
    /// How long the video is, as is signed beside the measurements.
    public var durationMilliseconds: Int
    /// 0...1; `nil` if no pair of neighbouring keyframes could be measured, as for the next two.
    public var depthConsistency: Double?
    /// 0...1; `nil` where nothing moved.
    public var motionCoherence: Double?
    /// 0...1.
    public var sceneStability: Double?
    /// −1...1; `nil` with too few edges.
    public var edgeAlignment: Double?
    /// Shares of the keyframes with these verdicts, 0...1.
    public var realShare: Double
    public var flatShare: Double
    /// Number of keyframes, 0...200.
    public var keyframes: Int
    /// Sample numbers, ascending.
    public var suspiciousFrames: [Int]
    /// Median over the keyframes, 0...1; `nil` if no surface could be fitted in any.
    public var relief: Double?
    /// Metres; `nil` without a valid pixel.
    public var minDepth: Double?
    public var maxDepth: Double?
    /// Share of pixels that are valid, 0...1.
    public var coverage: Double
    /// Why the measurements decide nothing; `nil` where they do.
    public var reason: VideoDepthReason?

    public init(
        durationMilliseconds: Int, depthConsistency: Double?, motionCoherence: Double?, sceneStability: Double?, edgeAlignment: Double?,
        realShare: Double, flatShare: Double, keyframes: Int, suspiciousFrames: [Int], relief: Double?, minDepth: Double?,
        maxDepth: Double?, coverage: Double, reason: VideoDepthReason?
    ) {
        self.durationMilliseconds = durationMilliseconds
        self.depthConsistency = depthConsistency
        self.motionCoherence = motionCoherence
        self.sceneStability = sceneStability
        self.edgeAlignment = edgeAlignment
        self.realShare = realShare
        self.flatShare = flatShare
        self.keyframes = keyframes
        self.suspiciousFrames = suspiciousFrames
        self.relief = relief
        self.minDepth = minDepth
        self.maxDepth = maxDepth
        self.coverage = coverage
        self.reason = reason
    }

    /// What the rule decides on, with the one thing that the reason names and that is not among the numbers.
    private var measured: VideoDepthRule.Measurements {
        var measured = VideoDepthRule.Measurements()
        (measured.realShare, measured.flatShare) = (realShare, flatShare)
        (measured.depthConsistency, measured.sceneStability) = (depthConsistency, sceneStability)
        (measured.motionCoherence, measured.edgeAlignment) = (motionCoherence, edgeAlignment)
        // 250 ms to a keyframe are a whole number: a duration rounded to milliseconds decides as the exact one does.
        measured.isCovered = VideoDepthRule.isCovered(by: keyframes, until: Int64(durationMilliseconds), timescale: 1000)
        if !coversVerdicts { measured.invalidShare = 1 }
        switch reason {
        case .videoUndecodable: measured.isDecodable = false
        case .tooFewKeyframes: measured.isCovered = false
        case .tooFewValid: measured.invalidShare = 1
        case .partlyFlat: measured.hasFlatRun = true
        case .frozenDepth: measured.identicalShare = 1
        case .lowRelief, .unstableDepth, .depthNotOfVideo, nil: break
        }
        return measured
    }

    /// Whether enough pixels are valid for the keyframes that are real or flat: each has 30 % or more, and all have one size.
    var coversVerdicts: Bool { coverage + 1e-9 >= 0.3 * (realShare + flatShare) }

    public var verdict: DepthVerdict { VideoDepthRule.verdict(measured).verdict }

    /// The reason that the rule gives; `nil` with a verdict. It is the stated one, except in a payload that was accepted by an older rule.
    public var reasonOfRule: VideoDepthReason? { VideoDepthRule.verdict(measured).reason }

    /// Whether the four thresholds of the specification alone would give the verdict `real`.
    public var isMetAsSpecified: Bool { VideoDepthRule.isMetAsSpecified(measured) }

    enum Keys: String, CodingKey {
        case method
        case depthConsistency = "depth_consistency"
        case motionCoherence = "motion_coherence"
        case sceneStability = "scene_stability"
        case edgeAlignment = "edge_alignment"
        case realShare = "real_share"
        case flatShare = "flat_share"
        case keyframes
        case suspiciousFrames = "suspicious_frames"
        case relief
        case minDepth = "min_depth"
        case maxDepth = "max_depth"
        case coverage, reason
        case isLikelyRealScene = "is_likely_real_scene"
    }
}

extension SignedVideoDepth: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Keys.self)
        try fields.encode(VideoDepthRule.method, forKey: .method)
        try fields.encode(depthConsistency, forKey: .depthConsistency)
        try fields.encode(motionCoherence, forKey: .motionCoherence)
        try fields.encode(sceneStability, forKey: .sceneStability)
        try fields.encode(edgeAlignment, forKey: .edgeAlignment)
        try fields.encode(realShare, forKey: .realShare)
        try fields.encode(flatShare, forKey: .flatShare)
        try fields.encode(keyframes, forKey: .keyframes)
        try fields.encode(suspiciousFrames, forKey: .suspiciousFrames)
        try fields.encode(relief, forKey: .relief)
        try fields.encode(minDepth, forKey: .minDepth)
        try fields.encode(maxDepth, forKey: .maxDepth)
        try fields.encode(coverage, forKey: .coverage)
        try fields.encode(reason?.rawValue, forKey: .reason)
        try fields.encode(verdict == .real, forKey: .isLikelyRealScene)
    }
}
