extension SignedDepth {
    private static let demanded: [Keys] = [
        .method, .depthVariance, .depthLayers, .edgeCoherence, .minDepth, .maxDepth, .relief, .coverage, .reason,
    ]
    private static let optional: [Keys] = [.reliefFront, .reliefBehind, .photoEdgesOnSurface, .isLikelyRealScene]

    /// Reads the members and compares them with each other.
    init(_ reader: MetadataReader) throws(MetadataError) {
        try reader.close(Self.demanded, optional: Self.optional)
        guard try reader.text(Keys.method.rawValue) == DepthRule.method else {
            throw reader.error(Keys.method.rawValue, "must be \"\(DepthRule.method)\"")
        }
        self.init(
            depthVariance: try reader.number(Keys.depthVariance.rawValue),
            depthLayers: try reader.integer(Keys.depthLayers.rawValue, in: 0...32),
            edgeCoherence: try reader.number(Keys.edgeCoherence.rawValue), minDepth: try reader.optionalNumber(Keys.minDepth.rawValue),
            maxDepth: try reader.optionalNumber(Keys.maxDepth.rawValue), relief: try reader.optionalNumber(Keys.relief.rawValue),
            reliefFront: try reader.optionalNumber(Keys.reliefFront.rawValue),
            reliefBehind: try reader.optionalNumber(Keys.reliefBehind.rawValue),
            photoEdgesOnSurface: try reader.optionalNumber(Keys.photoEdgesOnSurface.rawValue),
            coverage: try reader.number(Keys.coverage.rawValue), reason: try reader.depthReason(Keys.reason.rawValue))
        if let problem = implausibility { throw reader.error(problem.key.rawValue, problem.text) }
        if let claim = try reader.flag(Keys.isLikelyRealScene.rawValue), claim != (verdict == .real) {
            throw reader.error(Keys.isLikelyRealScene.rawValue, "contradicts the measurements")
        }
    }
}
