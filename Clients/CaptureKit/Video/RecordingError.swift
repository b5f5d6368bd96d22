/// Why a recording could not be made or recovered.
public enum RecordingError: Error, Sendable, Equatable {
    /// No picture came out of the encoder.
    case empty
    /// The first sample came without a description of the format.
    case noFormat
    /// The metadata of the recording are such as the server refuses, or a depth map has another size than the first.
    case invalidInput
}
