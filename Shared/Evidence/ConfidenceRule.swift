public import Models

/// From the statuses of the checks to the confidence (SPEC §3).
public enum ConfidenceRule {
    public static func confidence(hardware: CheckStatus, depth: CheckStatus, metadata: [CheckStatus]) -> ConfidenceLevel {
        if ([hardware, depth] + metadata).contains(.fail) { return .suspicious }
        switch (hardware, depth) {
        case (.pass, .pass): return .high
        case (.pass, _), (_, .pass): return .medium
        default: return .low
        }
    }
}
