extension SignedVideoDepth {
    /// The largest number of keyframes (SPEC §10.1).
    private static let mostKeyframes = 200

    private static let demanded: [Keys] = [
        .method, .depthConsistency, .motionCoherence, .sceneStability, .edgeAlignment, .realShare, .flatShare, .keyframes,
        .suspiciousFrames,
        .relief, .minDepth, .maxDepth, .coverage, .reason,
    ]

    /// Reads the bytes of an encoded one, as in a payload.
    /// - Parameters: of the video.
    /// - Throws: ``MetadataError`` for anything that the server would refuse.
    public static func parse(_ bytes: [UInt8], frames: Int, durationMilliseconds: Int) throws(MetadataError) -> SignedVideoDepth {
        try SignedVideoDepth(
            MetadataReader(bytes, document: "depth_analysis"), frames: frames, durationMilliseconds: durationMilliseconds,
            wasAccepted: false)
    }

    /// Reads the members and compares them with each other.
    /// - Parameters:
    ///   - frames: of the video.
    ///   - durationMilliseconds: of the video.
    ///   - wasAccepted: whether what contradicts the rule of today is read nevertheless; it is then undecided.
    init(_ reader: MetadataReader, frames: Int, durationMilliseconds: Int, wasAccepted: Bool) throws(MetadataError) {
        try reader.close(Self.demanded, optional: [.isLikelyRealScene])
        guard try reader.text(Keys.method.rawValue) == VideoDepthRule.method else {
            throw reader.error(Keys.method.rawValue, "must be \"\(VideoDepthRule.method)\"")
        }
        let keyframes = try reader.integer(Keys.keyframes.rawValue, in: 0...min(frames, Self.mostKeyframes))
        self.init(
            durationMilliseconds: durationMilliseconds,
            depthConsistency: try reader.optionalNumber(Keys.depthConsistency.rawValue),
            motionCoherence: try reader.optionalNumber(Keys.motionCoherence.rawValue),
            sceneStability: try reader.optionalNumber(Keys.sceneStability.rawValue),
            edgeAlignment: try reader.optionalNumber(Keys.edgeAlignment.rawValue), realShare: try reader.number(Keys.realShare.rawValue),
            flatShare: try reader.number(Keys.flatShare.rawValue), keyframes: keyframes,
            suspiciousFrames: try reader.ascending(Keys.suspiciousFrames.rawValue, atMost: keyframes, below: frames),
            relief: try reader.optionalNumber(Keys.relief.rawValue), minDepth: try reader.optionalNumber(Keys.minDepth.rawValue),
            maxDepth: try reader.optionalNumber(Keys.maxDepth.rawValue), coverage: try reader.number(Keys.coverage.rawValue),
            reason: reader.isNull(Keys.reason.rawValue) ? nil : try reader.word(Keys.reason.rawValue))
        if let problem = implausibility ?? (wasAccepted ? nil : contradiction) { throw reader.error(problem.key.rawValue, problem.text) }
        if let claim = try reader.flag(Keys.isLikelyRealScene.rawValue), !wasAccepted, claim != (verdict == .real) {
            throw reader.error(Keys.isLikelyRealScene.rawValue, "contradicts the measurements")
        }
    }

    /// The first member that no video's depth could have together with the others.
    private var implausibility: (key: Keys, text: String)? {
        let shares: [(Keys, Double?)] = [
            (.depthConsistency, depthConsistency), (.motionCoherence, motionCoherence), (.sceneStability, sceneStability),
            (.realShare, realShare), (.flatShare, flatShare), (.relief, relief), (.coverage, coverage),
        ]
        for (key, share) in shares where share.map({ !(0...1).contains($0) }) == true { return (key, "must be from 0 to 1") }
        if let edgeAlignment, !(-1...1).contains(edgeAlignment) { return (.edgeAlignment, "must be from -1 to 1") }
        for (key, share) in [(Keys.realShare, realShare), (.flatShare, flatShare)] where !isShareOfKeyframes(share) {
            return (key, "must be a share of the keyframes")
        }
        if realShare + flatShare > 1 + 1e-9 { return (.flatShare, "and real_share must not exceed 1 together") }
        if relief == nil, realShare + flatShare > 0 { return (.relief, "must not be null with keyframes that are real or flat") }
        if depthConsistency == nil, motionCoherence != nil || sceneStability != nil {
            return (.depthConsistency, "must not be null with other measurements of motion")
        }
        return implausibleRange
    }

    /// The first member that the rule would not give with the others.
    private var contradiction: (key: Keys, text: String)? {
        if !coversVerdicts { return (.coverage, "is too small for the keyframes that are real or flat") }
        return reasonOfRule == reason ? nil : (.reason, "is not what the measurements give")
    }

    private func isShareOfKeyframes(_ share: Double) -> Bool {
        let count = share * Double(keyframes)
        return keyframes == 0 ? share == 0 : abs(count - count.rounded()) < 1e-6
    }

    private var implausibleRange: (key: Keys, text: String)? {
        SignedDepthRange(minDepth: minDepth, maxDepth: maxDepth, coverage: coverage).problem.map { problem in
            (problem.member == .coverage ? .coverage : .minDepth, problem.text)
        }
    }
}

extension MetadataReader {
    /// Whole numbers from 0, ascending.
    fileprivate func ascending(_ name: String, atMost maximum: Int, below limit: Int) throws(MetadataError) -> [Int] {
        var numbers: [Int] = []
        for element in try array(name, atMost: maximum) {
            guard case .number(let value) = element, let number = Int(exactly: value), number > numbers.last ?? -1, number < limit else {
                throw error(name, "must be ascending numbers of samples")
            }
            numbers.append(number)
        }
        return numbers
    }
}
