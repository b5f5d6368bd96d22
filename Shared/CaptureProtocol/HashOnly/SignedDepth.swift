/// The measurements of a depth map as a device signs them in privacy mode (SPEC §9). The verdict is not among them: it follows from them.
public struct SignedDepth: Sendable, Equatable {
    /// Population standard deviation of the valid depths, in metres.
    public let depthVariance: Double
    public let depthLayers: Int
    /// 0...1.
    public let edgeCoherence: Double
    /// Metres; `nil` without a valid pixel.
    public let minDepth: Double?
    public let maxDepth: Double?
    /// 0...1; `nil` if no surface could be fitted.
    public let relief: Double?
    public let reliefFront: Double?
    public let reliefBehind: Double?
    /// 0...1.
    public let photoEdgesOnSurface: Double?
    /// Share of pixels that are valid, 0...1.
    public let coverage: Double
    /// `tooFewValid`, `notASurface`, or `nil`.
    public let reason: DepthReason?

    public init(
        depthVariance: Double, depthLayers: Int, edgeCoherence: Double, minDepth: Double?, maxDepth: Double?, relief: Double?,
        reliefFront: Double?, reliefBehind: Double?, photoEdgesOnSurface: Double?, coverage: Double, reason: DepthReason?
    ) {
        self.depthVariance = depthVariance
        self.depthLayers = depthLayers
        self.edgeCoherence = edgeCoherence
        self.minDepth = minDepth
        self.maxDepth = maxDepth
        self.relief = relief
        self.reliefFront = reliefFront
        self.reliefBehind = reliefBehind
        self.photoEdgesOnSurface = photoEdgesOnSurface
        self.coverage = coverage
        self.reason = reason
    }

    /// Whether the three measurements of the specification alone would give the verdict `real`.
    public var isMetAsSpecified: Bool {
        DepthRule.isMetAsSpecified(deviation: depthVariance, layers: depthLayers, coherence: edgeCoherence)
    }

    public var verdict: DepthVerdict {
        DepthRule.verdict(relief: relief, front: reliefFront, isMetAsSpecified: isMetAsSpecified, reason: reason)
    }

    enum Keys: String, CodingKey {
        case method
        case depthVariance = "depth_variance"
        case depthLayers = "depth_layers"
        case edgeCoherence = "edge_coherence"
        case minDepth = "min_depth"
        case maxDepth = "max_depth"
        case relief
        case reliefFront = "relief_front"
        case reliefBehind = "relief_behind"
        case photoEdgesOnSurface = "photo_edges_on_surface"
        case coverage, reason
        case isLikelyRealScene = "is_likely_real_scene"
    }
}

extension SignedDepth: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Keys.self)
        try fields.encode(DepthRule.method, forKey: .method)
        try fields.encode(depthVariance, forKey: .depthVariance)
        try fields.encode(depthLayers, forKey: .depthLayers)
        try fields.encode(edgeCoherence, forKey: .edgeCoherence)
        try fields.encode(minDepth, forKey: .minDepth)
        try fields.encode(maxDepth, forKey: .maxDepth)
        try fields.encode(relief, forKey: .relief)
        try fields.encodeIfPresent(reliefFront, forKey: .reliefFront)
        try fields.encodeIfPresent(reliefBehind, forKey: .reliefBehind)
        try fields.encodeIfPresent(photoEdgesOnSurface, forKey: .photoEdgesOnSurface)
        try fields.encode(coverage, forKey: .coverage)
        try fields.encode(reason?.rawValue, forKey: .reason)
        try fields.encode(verdict == .real, forKey: .isLikelyRealScene)
    }
}
