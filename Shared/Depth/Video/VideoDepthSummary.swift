import CaptureProtocol
import Models

/// Sums up the keyframes of a video: the shares and means that `VideoDepthRule` decides by, and the keyframes that are suspicious.
struct VideoDepthSummary {
    let keyframes: [KeyframeSummary]
    let track: PlacementTrack
    /// Ticks per second.
    let timescale: Int64
    /// When the video ends, in ticks.
    let end: Int64

    func measurements(isDecodable: Bool, rotation: Int) -> VideoDepthMeasurements {
        let rule = rule(isDecodable: isDecodable)
        let (verdict, reason) = VideoDepthRule.verdict(rule)
        let reliefs = track.keyframes.compactMap(\.relief)
        let pixels = keyframes.reduce(0) { $0 + $1.pixelCount }
        return VideoDepthMeasurements(
            depthConsistency: rule.depthConsistency, motionCoherence: rule.motionCoherence, sceneStability: rule.sceneStability,
            edgeAlignment: rule.edgeAlignment, realShare: rule.realShare, flatShare: rule.flatShare, suspiciousFrames: suspicious,
            frameAnalyses: analyses, relief: Median.upper(of: reliefs), minDepth: keyframes.compactMap(\.minimum).min(),
            maxDepth: keyframes.compactMap(\.maximum).max(),
            coverage: pixels > 0 ? Double(keyframes.reduce(0) { $0 + $1.validCount }) / Double(pixels) : 0,
            verdict: verdict, specifiedRule: VideoDepthRule.isMetAsSpecified(rule), method: VideoDepthRule.method, reason: reason,
            rotation: rotation, framing: track.placement.framing)
    }

    private func rule(isDecodable: Bool) -> VideoDepthRule.Measurements {
        var rule = VideoDepthRule.Measurements()
        let isCovered = isCovered(keyframes)
        rule.isCovered = isCovered
        rule.isDecodable = isDecodable && (!isCovered || self.isCovered(keyframes.filter(\.hasPicture)))
        rule.invalidShare = share { $0.reason == .tooFewValid }
        rule.realShare = share { $0.verdict == .real }
        rule.flatShare = share { $0.verdict == .flat }
        rule.hasFlatRun = hasFlatRun
        rule.identicalShare = keyframes.count > 1 ? Double(keyframes.count(where: \.isRepeated)) / Double(keyframes.count - 1) : 0
        rule.depthConsistency = track.consistency
        rule.sceneStability = track.stability
        rule.motionCoherence = track.coherence
        rule.edgeAlignment = track.meanAlignment
        return rule
    }

    private func share(_ condition: (PlacementTrack.Keyframe) -> Bool) -> Double {
        track.keyframes.isEmpty ? 0 : Double(track.keyframes.count(where: condition)) / Double(track.keyframes.count)
    }

    /// Enough keyframes, and nowhere more than a second without one.
    private func isCovered(_ keyframes: [KeyframeSummary]) -> Bool {
        guard VideoDepthRule.isCovered(by: keyframes.count, until: end, timescale: timescale) else { return false }
        var previous: Int64 = 0
        for ticks in keyframes.map(\.ticks) + [end] {
            if ticks - previous > timescale { return false }
            previous = ticks
        }
        return true
    }

    /// Whether keyframes called flat follow each other for over a second, from the first to the last of them.
    private var hasFlatRun: Bool {
        var start: Int64?
        for (keyframe, measured) in zip(keyframes, track.keyframes) {
            guard measured.verdict == .flat else {
                start = nil
                continue
            }
            let first = start ?? keyframe.ticks
            start = first
            if keyframe.ticks - first > timescale { return true }
        }
        return false
    }

    /// Flat, not agreeing with the one before, or identical to it.
    private var suspicious: [Int] {
        zip(keyframes, track.keyframes).filter { keyframe, measured in
            measured.verdict == .flat || keyframe.isRepeated || (measured.agreement ?? 1) < VideoDepthRule.leastAgreement
        }.map(\.0.sample).sorted()
    }

    private var analyses: [VideoFrameAnalysis] {
        zip(keyframes, track.keyframes).map { keyframe, measured in
            VideoFrameAnalysis(
                frame: keyframe.sample, timeMilliseconds: Int(keyframe.ticks * 1000 / timescale), relief: measured.relief,
                verdict: measured.verdict, agreement: measured.agreement)
        }
    }
}
