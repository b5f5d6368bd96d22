/// Why a frame became no capture. Nothing was stored; the person may take another.
public enum FrameError: Error, Sendable, Equatable {
    /// The frame has no depth map.
    case noDepthData
    /// The photo is not a JPEG, or damaged, with a text for the log.
    case jpegConversionFailed(String)
    /// The depth map could not be compressed, with a text for the log.
    case depthCompressionFailed(String)
    /// The depth map could not be measured, with a text for the log.
    case depthAnalysisFailed(String)
    /// Photo and depth map are together larger than the server takes. Not in privacy mode, in which they are not sent.
    case tooLarge
    /// The work took longer than the processor's limit.
    case processingTimeout
}
