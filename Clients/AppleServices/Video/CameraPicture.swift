import AVFAudio
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

    /// Of its beginning, on the microphone's clock.
    var seconds: Double { CMTimeGetSeconds(CMSampleBufferGetPresentationTimeStamp(buffer)) }
    /// For each channel.
    var sampleCount: Int { CMSampleBufferGetNumSamples(buffer) }
    /// Hertz; 0 of a buffer that does not say what it holds, which no encoder takes.
    var sampleRate: Double {
        CMSampleBufferGetFormatDescription(buffer).map { AVAudioFormat(cmAudioFormatDescription: $0).sampleRate } ?? 0
    }
}
