public import CaptureKit
public import Movie

/// Encodes mono sound of 16 bits as AAC (LC).
public struct FFmpegAudioEncoder: AudioEncoder {
    /// Hertz.
    public static let sampleRate: UInt32 = 44_100

    private let program: FFmpeg

    /// - Throws: ``EncodingError`` `unavailable`.
    public init() throws {
        program = try FFmpeg(
            ["-f", "s16le", "-ar", "\(Self.sampleRate)", "-ac", "1", "-i", "pipe:0", "-c:a", "aac", "-b:a", "64k"])
    }

    public var format: SoundFormat? {
        program.header.map {
            SoundFormat(timescale: $0.timescale, channels: 1, sampleRate: Self.sampleRate, descriptor: $0.configuration)
        }
    }

    /// One frame of AAC.
    public let priming: Int64 = 1024

    /// - Parameter sound: little-endian samples.
    public func encode(_ sound: [UInt8]) async throws -> [EncodedSample] { try await program.write(sound) }

    public func finish() async throws -> [EncodedSample] { try await program.finish() }
}
