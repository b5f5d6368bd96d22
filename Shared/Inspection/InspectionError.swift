/// Why a file could not be inspected; never because of the file itself.
public enum InspectionError: Error, Sendable, Equatable {
    /// The queue of waiting callers is full.
    case busy
    /// The caller's task was cancelled; the process has ended.
    case cancelled
    /// No file can be inspected now: no program, no descriptors, invalid anchors or no sandbox. The value is a sentence for the log.
    case unavailable(String)
}
