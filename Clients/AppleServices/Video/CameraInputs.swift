public import CoreMedia
public import CoreVideo

/// A picture of the camera, on its way to the encoder.
///
/// Sendable since nobody writes to the buffer after ARKit has filled it; the encoder releases it.
public struct CameraPicture: @unchecked Sendable {
    public let buffer: CVPixelBuffer

    public init(_ buffer: CVPixelBuffer) { self.buffer = buffer }
}

/// A piece of sound of the microphone, uncompressed.
///
/// Sendable since nobody writes to the buffer after ARKit has filled it.
public struct CameraSound: @unchecked Sendable {
    public let buffer: CMSampleBuffer

    public init(_ buffer: CMSampleBuffer) { self.buffer = buffer }
}

/// Why the camera or an encoder cannot go on.
public enum AppleVideoError: Error, Sendable, Equatable {
    /// An `OSStatus` of VideoToolbox or Core Media.
    case status(Int32)
    /// The encoder's samples have another form than `avcC`, `hvcC` or AAC in packets.
    case unexpectedFormat
    /// An error of AVFAudio or ARKit, with a text for the log.
    case failed(String)

    /// - Parameter status: an `OSStatus`.
    static func check(_ status: Int32) throws(AppleVideoError) {
        // noErr.
        guard status == 0 else { throw .status(status) }
    }
}
