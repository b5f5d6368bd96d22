public import CaptureKit
public import Movie

/// Encodes mono sound of 16 bits as AAC (LC).
public actor FFmpegAudioEncoder: AudioEncoder {
    /// Hertz.
    public static let sampleRate: UInt32 = 44_100

    /// Packets that may be inside the encoder: about a second.
    private static let lag = 43
    private static let bytesPerPacket = 2048

    private let program: FFmpeg
    private var written = 0

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
    public func encode(_ sound: [UInt8]) async throws -> [EncodedSample] {
        written += sound.count
        return try await program.write(sound, awaiting: written / Self.bytesPerPacket - Self.lag)
    }

    public func finish() async throws -> [EncodedSample] { try await program.finish() }
}
