public import CaptureProtocol

/// The measurements and the verdict of the depth analysis. All numbers are finite.
public struct DepthMeasurements: Codable, Sendable, Equatable {
    /// Population standard deviation of the valid depths, in metres; the name is given by the product's specification.
    public var depthVariance: Double
    /// Peaks of the smoothed 64-bin histogram.
    public var depthLayers: Int
    /// Share of depth edges with a photo edge within 2 px, 0...1.
    public var edgeCoherence: Double
    /// Metres; `nil` without a valid pixel.
    public var minDepth: Double?
    public var maxDepth: Double?
    /// Share of valid centre pixels off the fitted surface, 0...1; `nil` if no surface could be fitted.
    public var relief: Double?
    /// The shares of ``relief`` in front of and behind the surface; `nil` without a surface, and with method `relief-1`.
    public var reliefFront: Double?
    public var reliefBehind: Double?
    /// Share of the photo's edges in the centre with a pixel of the surface within 2 px, 0...1. Does not affect the verdict. `nil` without
    /// a photo, an edge or a surface, and with method `relief-1`.
    public var photoEdgesOnSurface: Double?
    /// Share of pixels that are valid, 0...1.
    public var coverage: Double
    public var verdict: DepthVerdict
    /// Whether the three measurements of the specification alone would give the verdict `real`.
    public var specifiedRule: Bool
    /// `relief-2`, or `relief-1` in earlier records.
    public var method: String
    /// `tooFewValid`, `notASurface`, or `nil`.
    public var reason: StableWord<DepthReason>?
    /// Quarter turns clockwise that bring the depth map upright with the photo, 0...3.
    public var rotation: Int

    public var isLikelyRealScene: Bool { verdict == .real }

    public init(
        depthVariance: Double, depthLayers: Int, edgeCoherence: Double, minDepth: Double?, maxDepth: Double?, relief: Double?,
        reliefFront: Double? = nil, reliefBehind: Double? = nil, photoEdgesOnSurface: Double? = nil, coverage: Double,
        verdict: DepthVerdict, specifiedRule: Bool, method: String, reason: DepthReason?, rotation: Int
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
        self.verdict = verdict
        self.specifiedRule = specifiedRule
        self.method = method
        self.reason = reason.map(StableWord.init)
        self.rotation = rotation
    }

    enum CodingKeys: String, CodingKey {
        case depthVariance = "depth_variance"
        case depthLayers = "depth_layers"
        case edgeCoherence = "edge_coherence"
        case minDepth = "min_depth"
        case maxDepth = "max_depth"
        case relief
        case reliefFront = "relief_front"
        case reliefBehind = "relief_behind"
        case photoEdgesOnSurface = "photo_edges_on_surface"
        case coverage, verdict
        case specifiedRule = "specified_rule"
        case method, reason, rotation
    }
}

extension DepthMeasurements {
    /// The measurements that a device signed, with the verdict that follows from them (SPEC §9).
    public init(_ signed: SignedDepth) {
        self.init(
            depthVariance: signed.depthVariance, depthLayers: signed.depthLayers, edgeCoherence: signed.edgeCoherence,
            minDepth: signed.minDepth, maxDepth: signed.maxDepth, relief: signed.relief, reliefFront: signed.reliefFront,
            reliefBehind: signed.reliefBehind, photoEdgesOnSurface: signed.photoEdgesOnSurface, coverage: signed.coverage,
            verdict: signed.verdict, specifiedRule: signed.isMetAsSpecified, method: DepthRule.method, reason: signed.reason, rotation: 0)
    }

    /// What a device signs of its measurements; the rest follows from it.
    public var signed: SignedDepth {
        SignedDepth(
            depthVariance: depthVariance, depthLayers: depthLayers, edgeCoherence: edgeCoherence, minDepth: minDepth, maxDepth: maxDepth,
            relief: relief, reliefFront: reliefFront, reliefBehind: reliefBehind, photoEdgesOnSurface: photoEdgesOnSurface,
            coverage: coverage, reason: reason?.known)
    }
}
