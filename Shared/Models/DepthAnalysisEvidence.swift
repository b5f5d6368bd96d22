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
    /// The measurements of a video; those that the properties above have, too, have the same values. `nil` for a photo.
    public var temporal: VideoDepthMeasurements?

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

    /// The evidence of a video.
    public init(
        status: CheckStatus, temporal: VideoDepthMeasurements, source: AnalysisSource, reason: StableWord<DepthReason>?,
        previewScale: DepthPreviewScale? = nil
    ) {
        self.init(status: status, measurements: nil, source: source, reason: reason, previewScale: previewScale)
        self.temporal = temporal
        minDepth = temporal.minDepth
        maxDepth = temporal.maxDepth
        relief = temporal.relief
        coverage = temporal.coverage
        verdict = temporal.verdict
        isLikelyRealScene = temporal.isLikelyRealScene
        specifiedRule = temporal.specifiedRule
        method = temporal.method
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
}

extension DepthAnalysisEvidence {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let isVideo = try decoder.container(keyedBy: VideoDepthMeasurements.CodingKeys.self).contains(.depthConsistency)
        self.init(
            status: try container.decode(CheckStatus.self, forKey: .status), measurements: nil,
            source: try container.decode(AnalysisSource.self, forKey: .source),
            reason: try container.decodeIfPresent(StableWord<DepthReason>.self, forKey: .reason),
            previewScale: try container.decodeIfPresent(DepthPreviewScale.self, forKey: .previewScale))
        temporal = isVideo ? try VideoDepthMeasurements(from: decoder) : nil
        depthVariance = try container.decodeIfPresent(Double.self, forKey: .depthVariance)
        depthLayers = try container.decodeIfPresent(Int.self, forKey: .depthLayers)
        edgeCoherence = try container.decodeIfPresent(Double.self, forKey: .edgeCoherence)
        minDepth = try container.decodeIfPresent(Double.self, forKey: .minDepth)
        maxDepth = try container.decodeIfPresent(Double.self, forKey: .maxDepth)
        relief = try container.decodeIfPresent(Double.self, forKey: .relief)
        reliefFront = try container.decodeIfPresent(Double.self, forKey: .reliefFront)
        reliefBehind = try container.decodeIfPresent(Double.self, forKey: .reliefBehind)
        photoEdgesOnSurface = try container.decodeIfPresent(Double.self, forKey: .photoEdgesOnSurface)
        coverage = try container.decodeIfPresent(Double.self, forKey: .coverage)
        verdict = try container.decodeIfPresent(DepthVerdict.self, forKey: .verdict)
        isLikelyRealScene = try container.decodeIfPresent(Bool.self, forKey: .isLikelyRealScene)
        specifiedRule = try container.decodeIfPresent(Bool.self, forKey: .specifiedRule)
        method = try container.decodeIfPresent(String.self, forKey: .method)
    }

    /// Unknown fields are `null`. What only a photo or only a video has is absent from the other.
    public func encode(to encoder: any Encoder) throws {
        // Its reason is that of the measurements; the check's, written over it, may be another.
        try temporal?.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        if temporal == nil {
            try container.encode(depthVariance, forKey: .depthVariance)
            try container.encode(depthLayers, forKey: .depthLayers)
            try container.encode(edgeCoherence, forKey: .edgeCoherence)
            try container.encode(reliefFront, forKey: .reliefFront)
            try container.encode(reliefBehind, forKey: .reliefBehind)
            try container.encode(photoEdgesOnSurface, forKey: .photoEdgesOnSurface)
        }
        try container.encode(status, forKey: .status)
        try container.encode(minDepth, forKey: .minDepth)
        try container.encode(maxDepth, forKey: .maxDepth)
        try container.encode(relief, forKey: .relief)
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
