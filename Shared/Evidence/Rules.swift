public import CaptureProtocol
public import Models

/// Derives the confidence level from the statuses of the checks (SPEC §3).
public enum ConfidenceRule {
    /// For photos: `suspicious` if a check fails, else `high`, `medium` or `low` as hardware and depth both pass, one of them, or none.
    public static func confidence(hardware: CheckStatus, depth: CheckStatus, metadata: [CheckStatus]) -> ConfidenceLevel {
        if ([hardware, depth] + metadata).contains(.fail) { return .suspicious }
        switch (hardware, depth) {
        case (.pass, .pass): return .high
        case (.pass, _), (_, .pass): return .medium
        default: return .low
        }
    }

    /// The confidence of a video (SPEC §10.4): as for photos, but only an intact and wholly signed chain makes it `high`.
    public static func confidence(
        hardware: CheckStatus, hashChain: CheckStatus, depth: CheckStatus, metadata: [CheckStatus]
    ) -> ConfidenceLevel {
        let level = confidence(hardware: hardware, depth: depth, metadata: metadata + [hashChain])
        return level == .high && hashChain != .pass ? .medium : level
    }
}

/// Derives the status of the depth check from the depth verdict and the parts that the assertion covers (SPEC §3). Never `fail`: bytes that
/// contradict the signature fail the hardware check instead.
public enum DepthStatusRule {
    /// - Parameters:
    ///   - verdict: `nil` if there was no depth.
    ///   - binding: what the assertion that verified covers, accepted here or not; without one (`nil`) the depth counts on its own.
    ///   - hasLiDAR: false if the device reports that it has no such sensor, or is of a model known to have none: then the depth was not
    /// measured.
    ///   - hasSensorShape: whether the map is shaped as a LiDAR sensor's. `photo+depth` does not cover width and height, and in rows of
    /// another length the same values show another scene.
    /// - Returns: the status, and a reason for every depth that does not pass.
    public static func status(
        verdict: DepthVerdict?, binding: AssertionBinding?, hasLiDAR: Bool = true, hasSensorShape: Bool = true
    ) -> (status: CheckStatus, reason: DepthReason?) {
        switch verdict {
        case nil: (.unavailable, nil)
        case _? where !hasLiDAR: (.inconclusive, .noLiDAR)
        case .flat?: (.inconclusive, .flatSurface)
        case .undecided?: (.inconclusive, .undecided)
        case .real? where binding == .photoDepth && !hasSensorShape: (.inconclusive, .depthNotSigned)
        // The chain matters only to a checkpoint, which never covers all of the depth.
        case .real? where binding?.signedParts(isChainIntact: false).contains(.depth) == false: (.inconclusive, .depthNotSigned)
        case .real?: (.pass, nil)
        }
    }

    /// The depth check of a video (SPEC §10.4). Depth counts by itself where no signature came or was accepted, but not beside a hardware
    /// check that failed: `depthNotSigned` then, whatever the signature covers.
    ///
    /// - Parameters:
    ///   - hardware: status of the hardware check.
    ///   - binding: what the verified assertions cover; `nil` unless the hardware check passed.
    public static func videoStatus(
        verdict: DepthVerdict, hardware: CheckStatus, binding: AssertionBinding?, hasLiDAR: Bool
    ) -> (status: CheckStatus, reason: DepthReason?) {
        let (status, reason) = status(verdict: verdict, binding: binding, hasLiDAR: hasLiDAR)
        guard verdict == .real, hasLiDAR else { return (status, reason) }
        if binding == .checkpoint { return (.inconclusive, .partlySigned) }
        return hardware == .fail ? (.inconclusive, .depthNotSigned) : (status, reason)
    }
}
