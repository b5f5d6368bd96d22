/// The verdict on a depth map: a scene with relief, one smooth surface, or undecided.
public enum DepthVerdict: String, Codable, Sendable { case real, flat, undecided }

/// The reasons for the status of the depth check.
public enum DepthReason: String, Sendable, CaseIterable {
    case noDepth = "no_depth"
    case tooFewValid = "too_few_valid"
    case notASurface = "not_a_surface"
    case noLiDAR = "no_lidar"
    case flatSurface = "flat_surface"
    case undecided
    case depthNotSigned = "depth_not_signed"
    // Reasons that only videos have.
    case videoUndecodable = "video_undecodable"
    case tooFewKeyframes = "too_few_keyframes"
    case lowRelief = "low_relief"
    case partlyFlat = "partly_flat"
    case frozenDepth = "frozen_depth"
    case unstableDepth = "unstable_depth"
    case depthNotOfVideo = "depth_not_of_video"
    /// Only the beginning of a recording is signed.
    case partlySigned = "partly_signed"
}

/// Decides from measurements whether a depth map shows a scene, method `relief-2`: the same for maps measured here and for numbers that a
/// device measured and signed (SPEC §9).
///
/// Over 20 % relief is `real`, under 10 % is `flat`. Anything between is `undecided`, unless at least a tenth of the centre lies in front
/// of the surface and the rule of the specification is met: then it is `real`.
public enum DepthRule {
    public static let method = "relief-2"

    /// Whether the three measurements of the specification alone would give the verdict `real`.
    ///
    /// - Parameters:
    ///   - deviation: population standard deviation of the valid depths, in metres.
    ///   - layers: peaks of the histogram.
    ///   - coherence: share of depth edges with a photo edge nearby, 0...1.
    public static func isMetAsSpecified(deviation: Double, layers: Int, coherence: Double) -> Bool {
        deviation > 0.5 && layers >= 3 && coherence > 0.7
    }

    /// A screen that fills all but a tenth to a fifth of the centre, with a room behind it, meets the specified rule. So if the relief is
    /// between the two thresholds, the rule counts only together with something in front of the surface.
    ///
    /// - Parameters:
    ///   - relief: share of the centre off the fitted surface, 0...1; `nil` without a surface.
    ///   - front: the share in front of it, 0...1; unknown counts as none.
    ///   - isMetAsSpecified: see ``isMetAsSpecified(deviation:layers:coherence:)``.
    ///   - reason: why nothing can be decided, if so.
    public static func verdict(relief: Double?, front: Double?, isMetAsSpecified: Bool, reason: DepthReason?) -> DepthVerdict {
        guard let relief, reason == nil else { return .undecided }
        if relief > 0.20 || ((front ?? 0) >= 0.10 && isMetAsSpecified) { return .real }
        return relief < 0.10 ? .flat : .undecided
    }
}
