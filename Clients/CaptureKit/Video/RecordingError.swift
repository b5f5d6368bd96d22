/// Why a recording could not be made or recovered.
public enum RecordingError: Error, Sendable, Equatable {
    /// No picture came out of the encoder; or, of a video that is sent, only one or two before the first that has a depth map.
    case empty
    /// No picture of a longer video that is sent has its depth map, without which no server takes it. The recording stays in the store.
    case noDepth
    /// The first sample came without a description of the format.
    case noFormat
    /// The metadata of the recording are such as the server refuses, or a depth map has another size than the first.
    case invalidInput
}
