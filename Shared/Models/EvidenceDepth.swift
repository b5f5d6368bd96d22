public import CaptureProtocol

/// The depth check: the analyzer's measurements and verdict, and the status that follows from verdict and binding.
public struct DepthAnalysisEvidence: Codable, Sendable, Equatable {
    public var status: CheckStatus
    public var depthVariance: Double?
    public var depthLayers: Int?
    public var edgeCoherence: Double?
    public var minDepth: Double?
    public var maxDepth: Double?
    public var relief: Double?
    public var reliefFront: Double?
    public var reliefBehind: Double?
    public var photoEdgesOnSurface: Double?
    public var coverage: Double?
    public var verdict: DepthVerdict?
    public var isLikelyRealScene: Bool?
    public var specifiedRule: Bool?
    public var method: String?
    public var source: AnalysisSource
    public var reason: StableWord<DepthReason>?
    /// `nil` without a preview, or for captures of versions that did not store it.
    public var previewScale: DepthPreviewScale?

    /// - Parameter measurements: `nil` if there was no depth to measure.
    public init(
        status: CheckStatus, measurements: DepthMeasurements?, source: AnalysisSource, reason: StableWord<DepthReason>?,
        previewScale: DepthPreviewScale? = nil
    ) {
        self.status = status
        depthVariance = measurements?.depthVariance
        depthLayers = measurements?.depthLayers
        edgeCoherence = measurements?.edgeCoherence
        minDepth = measurements?.minDepth
        maxDepth = measurements?.maxDepth
        relief = measurements?.relief
        reliefFront = measurements?.reliefFront
        reliefBehind = measurements?.reliefBehind
        photoEdgesOnSurface = measurements?.photoEdgesOnSurface
        coverage = measurements?.coverage
        verdict = measurements?.verdict
        isLikelyRealScene = measurements?.isLikelyRealScene
        specifiedRule = measurements?.specifiedRule
        method = measurements?.method
        self.source = source
        self.reason = reason
        self.previewScale = previewScale
    }

    enum CodingKeys: String, CodingKey {
        case status
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
        case isLikelyRealScene = "is_likely_real_scene"
        case specifiedRule = "specified_rule"
        case method, source, reason
        case previewScale = "preview_scale"
    }

    /// Unknown fields are `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(depthVariance, forKey: .depthVariance)
        try container.encode(depthLayers, forKey: .depthLayers)
        try container.encode(edgeCoherence, forKey: .edgeCoherence)
        try container.encode(minDepth, forKey: .minDepth)
        try container.encode(maxDepth, forKey: .maxDepth)
        try container.encode(relief, forKey: .relief)
        try container.encode(reliefFront, forKey: .reliefFront)
        try container.encode(reliefBehind, forKey: .reliefBehind)
        try container.encode(photoEdgesOnSurface, forKey: .photoEdgesOnSurface)
        try container.encode(coverage, forKey: .coverage)
        try container.encode(verdict, forKey: .verdict)
        try container.encode(isLikelyRealScene, forKey: .isLikelyRealScene)
        try container.encode(specifiedRule, forKey: .specifiedRule)
        try container.encode(method, forKey: .method)
        try container.encode(source, forKey: .source)
        try container.encode(reason, forKey: .reason)
        try container.encode(previewScale, forKey: .previewScale)
    }
}
