/// Why a file was not inspected. It says nothing about the file.
public enum InspectionError: Error, Sendable, Equatable {
    /// As many callers wait as may.
    case busy
    /// The caller's task was cancelled; the process is gone.
    case cancelled
    /// Nothing can be inspected as things are: no program, no descriptors, refused anchors, no sandbox. A sentence for the log.
    case unavailable(String)
}
