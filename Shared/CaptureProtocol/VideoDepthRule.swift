/// The reasons for the verdict `undecided` on a video's depth (SPEC §10.4), spelled as in ``DepthReason``.
public enum VideoDepthReason: RawRepresentable, Sendable, CaseIterable {
    case videoUndecodable, tooFewKeyframes, tooFewValid, lowRelief, partlyFlat, frozenDepth, unstableDepth, depthNotOfVideo

    /// The same reason of the depth check.
    public var depthReason: DepthReason {
        switch self {
        case .videoUndecodable: .videoUndecodable
        case .tooFewKeyframes: .tooFewKeyframes
        case .tooFewValid: .tooFewValid
        case .lowRelief: .lowRelief
        case .partlyFlat: .partlyFlat
        case .frozenDepth: .frozenDepth
        case .unstableDepth: .unstableDepth
        case .depthNotOfVideo: .depthNotOfVideo
        }
    }

    public var rawValue: String { depthReason.rawValue }

    public init?(rawValue: String) {
        guard let reason = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = reason
    }
}

/// Decides from measurements whether the depth of a video shows a scene, and the scene of its pictures: method `relief-video-1`. The first
/// condition of ``verdict(_:)`` that applies decides.
public enum VideoDepthRule {
    public static let method = "relief-video-1"

    /// Whether there are enough keyframes to decide anything: 5, and 4 a second over the whole video.
    /// - Parameters:
    ///   - end: when the video ends, in ticks.
    ///   - timescale: ticks per second.
    public static func isCovered(by keyframes: Int, until end: Int64, timescale: Int64) -> Bool {
        // The largest timescale times 200 is far from overflow.
        keyframes >= 5 && Int64(keyframes) * timescale >= 4 * end
    }

    /// What the verdict follows from.
    public struct Measurements: Sendable, Equatable {
        /// Whether there are pictures for the keyframes.
        public var isDecodable = true
        /// Whether there are enough keyframes without long gaps.
        public var isCovered = true
        /// Share of keyframes with too few valid pixels, 0...1, as are all shares.
        public var invalidShare = 0.0
        public var realShare = 0.0
        public var flatShare = 0.0
        /// Whether keyframes called flat follow each other for over a second.
        public var hasFlatRun = false
        /// Share of neighbouring keyframes with the same depth, bit for bit.
        public var identicalShare = 0.0
        /// 0...1; `nil` if no pair of neighbours could be measured.
        public var depthConsistency: Double?
        /// 0...1; `nil` if no pair of neighbours could be measured.
        public var sceneStability: Double?
        /// 0...1; `nil` if nothing moved.
        public var motionCoherence: Double?
        /// −1...1; `nil` with too few edges.
        public var edgeAlignment: Double?

        public init() {}
    }

    /// - Returns: the verdict, and a reason if it is `undecided`.
    public static func verdict(_ measured: Measurements) -> (verdict: DepthVerdict, reason: VideoDepthReason?) {
        if !measured.isDecodable { return (.undecided, .videoUndecodable) }
        if !measured.isCovered { return (.undecided, .tooFewKeyframes) }
        if measured.invalidShare >= 0.5 { return (.undecided, .tooFewValid) }
        if measured.flatShare >= 0.5, measured.realShare <= 0.1 { return (.flat, nil) }
        if measured.realShare < 0.5 { return (.undecided, .lowRelief) }
        if measured.flatShare > 0.1 || measured.hasFlatRun { return (.undecided, .partlyFlat) }
        if measured.identicalShare > 0.2 { return (.undecided, .frozenDepth) }
        guard let consistency = measured.depthConsistency, consistency >= 0.8, let stability = measured.sceneStability, stability >= 0.9
        else { return (.undecided, .unstableDepth) }
        return isOfVideo(measured.edgeAlignment, measured.motionCoherence) ? (.real, nil) : (.undecided, .depthNotOfVideo)
    }

    /// Whether depth edges are where the picture has edges, and depth moves with the picture.
    private static func isOfVideo(_ alignment: Double?, _ coherence: Double?) -> Bool {
        guard let alignment, alignment >= 0.03 else { return false }
        guard let coherence else { return alignment >= 0.05 }
        return coherence >= 0.5 && (alignment >= 0.05 || coherence >= 0.7)
    }

    /// Whether the four thresholds of the product's specification alone would call the scene real: its three temporal measurements, and
    /// 80 % of the keyframes `real`.
    public static func isMetAsSpecified(_ measured: Measurements) -> Bool {
        guard let consistency = measured.depthConsistency, let coherence = measured.motionCoherence, let stability = measured.sceneStability
        else { return false }
        return consistency > 0.8 && coherence > 0.7 && stability > 0.9 && measured.realShare >= 0.8
    }

    /// A keyframe of whose depth a smaller share agrees with the one before it is suspicious, and the scene is not stable there.
    public static let leastAgreement = 0.6
}
