extension SignedDepth {
    /// The first member that no depth map could have together with the others (SPEC §9).
    var implausibility: (key: Keys, text: String)? {
        let shares: [(Keys, Double?)] = [
            (.edgeCoherence, edgeCoherence), (.relief, relief), (.reliefFront, reliefFront), (.reliefBehind, reliefBehind),
            (.photoEdgesOnSurface, photoEdgesOnSurface), (.coverage, coverage),
        ]
        for (key, share) in shares where share.map({ !(0...1).contains($0) }) == true { return (key, "must be from 0 to 1") }
        if let problem = implausibleRange ?? implausibleRelief { return problem }
        if coverage < 0.3, reason != .tooFewValid { return (.reason, "must be \"too_few_valid\" with a coverage below 0.3") }
        return nil
    }

    private var implausibleRange: (key: Keys, text: String)? {
        if let problem = SignedDepthRange(minDepth: minDepth, maxDepth: maxDepth, coverage: coverage).problem {
            return (problem.member == .coverage ? .coverage : .minDepth, problem.text)
        }
        guard let minDepth, let maxDepth else {
            if depthVariance != 0 { return (.depthVariance, "must be 0 without a range of depth") }
            return depthLayers == 0 ? nil : (.depthLayers, "must be 0 without a range of depth")
        }
        guard depthVariance >= 0, depthVariance <= (maxDepth - minDepth) / 2 + 1e-9 else {
            return (.depthVariance, "must be from 0 to half the range of depth")
        }
        guard depthLayers >= 1, maxDepth > minDepth || depthLayers == 1 else {
            return (.depthLayers, "must be from 1 to 32, and 1 if all depths are equal")
        }
        return nil
    }

    private var implausibleRelief: (key: Keys, text: String)? {
        guard let relief else {
            if reason == nil { return (.reason, "must say why there is no relief") }
            return reliefFront == nil && reliefBehind == nil ? nil : (.relief, "must not be null where its shares are given")
        }
        if let reliefFront, let reliefBehind, abs(reliefFront + reliefBehind - relief) > 1e-9 {
            return (.relief, "must be the sum of relief_front and relief_behind")
        }
        for (key, share) in [(Keys.reliefFront, reliefFront), (.reliefBehind, reliefBehind)] {
            if let share, share > relief + 1e-9 { return (key, "must not be larger than relief") }
        }
        return nil
    }
}
