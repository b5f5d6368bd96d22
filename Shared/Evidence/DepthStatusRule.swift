public import CaptureProtocol
public import Models

/// From verdict and binding to the status of the depth check (SPEC §3). Never `fail`: bytes that contradict the signature show
/// as a failed hardware check.
public enum DepthStatusRule {
    /// - Parameters:
    ///   - verdict: `nil` if there was no depth.
    ///   - binding: what the assertion that verified covers; `nil` without one: the depth then stands on its own.
    ///   - hasLiDAR: false if the device says that it has no such sensor, or is of a model known to have none: whatever its depth
    ///     shows, nothing measured it.
    /// - Returns: The status, and for anything but `pass` with depth the reason.
    public static func status(verdict: DepthVerdict?, binding: AssertionBinding?, hasLiDAR: Bool = true) -> (
        status: CheckStatus, reason: DepthReason?
    ) {
        switch verdict {
        case nil: (.unavailable, nil)
        case _? where !hasLiDAR: (.inconclusive, .noLiDAR)
        case .flat?: (.inconclusive, .flatSurface)
        case .undecided?: (.inconclusive, .undecided)
        case .real?: binding?.coversDepth == false ? (.inconclusive, .depthNotSigned) : (.pass, nil)
        }
    }
}
