import Models

/// From the statuses of the checks to the confidence (SPEC §3).
public enum ConfidenceRule {
    public static func confidence(
        hardware: CheckStatus, depth: CheckStatus, metadata: [CheckStatus]
    ) -> ConfidenceLevel {
        if ([hardware, depth] + metadata).contains(.fail) { return .suspicious }
        switch (hardware, depth) {
        case (.pass, .pass): return .high
        case (.pass, _), (_, .pass): return .medium
        default: return .low
        }
    }
}

/// From verdict and binding to the status of the depth check (SPEC §3). Never `fail`: bytes that contradict the signature show
/// as a failed hardware check.
public enum DepthStatusRule {
    /// - Parameters:
    ///   - verdict: `nil` if there was no depth.
    ///   - binding: what the assertion that verified covers; `nil` without one: the depth then stands on its own.
    public static func status(verdict: DepthVerdict?, binding: AssertionBinding?) -> (status: CheckStatus, reason: String?) {
        switch verdict {
        case nil: (.unavailable, nil)
        case .flat?: (.inconclusive, "flat_surface")
        case .undecided?: (.inconclusive, "undecided")
        case .real?: binding?.coversDepth == false ? (.inconclusive, "depth_not_signed") : (.pass, nil)
        }
    }
}
