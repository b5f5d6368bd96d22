/// A processed frame, in the mode of the settings at its shutter.
public enum ProcessedCapture: Sendable, Equatable {
    case full(ProcessedFrame)
    case hashOnly(PrivateCapture)
}
