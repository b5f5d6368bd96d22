/// When an assertion that failed is tried again. Returning to the foreground and a new network are further occasions.
public enum AssertionRetry {
    /// The waits before the second, third and fourth attempt.
    public static let delays: [Duration] = [.seconds(1), .seconds(2), .seconds(4)]

    /// - Parameter failures: attempts so far, all failed; at least 1.
    /// - Returns: `nil` after the last attempt: the capture becomes ``CaptureState/assertionFailed``.
    public static func delay(afterFailures failures: Int) -> Duration? {
        (1...delays.count).contains(failures) ? delays[failures - 1] : nil
    }
}
