import AVFAudio
public import CaptureKit
import CoreMedia
import Foundation
public import Movie

/// Encodes the microphone's sound as AAC (LC).
public actor HardwareAudioEncoder: AudioEncoder {
    private static let bitRate: UInt32 = 64_000

    private var converter: AVAudioConverter?
    private var input: AVAudioFormat?
    private var packets: Int64 = 0
    public private(set) var format: SoundFormat?
    public private(set) var priming: Int64 = 0

    public init() {}

    public func encode(_ sound: CameraSound) async throws -> [EncodedSample] {
        guard let description = CMSampleBufferGetFormatDescription(sound.buffer) else { throw AppleVideoError.unexpectedFormat }
        let converter = try converter(for: description)
        guard let input else { throw AppleVideoError.unexpectedFormat }
        let count = CMSampleBufferGetNumSamples(sound.buffer)
        guard let frames = AVAudioFrameCount(exactly: count), frames > 0,
            let pcm = AVAudioPCMBuffer(pcmFormat: input, frameCapacity: frames)
        else { return [] }
        pcm.frameLength = frames
        try AppleVideoError.check(
            CMSampleBufferCopyPCMDataIntoAudioBufferList(
                sound.buffer, at: 0, frameCount: Int32(clamping: count), into: pcm.mutableAudioBufferList))
        return try drain(converter, Piece(pcm, isLast: false))
    }

    public func finish() async throws -> [EncodedSample] {
        guard let converter else { return [] }
        return try drain(converter, Piece(nil, isLast: true))
    }

    /// Made for the format of the first piece: the camera passes no piece of another rate on.
    private func converter(for description: CMFormatDescription) throws -> AVAudioConverter {
        if let converter { return converter }
        let input = AVAudioFormat(cmAudioFormatDescription: description)
        guard let rate = UInt32(exactly: input.sampleRate.rounded()), let channels = UInt16(exactly: input.channelCount),
            let format = AACDescription.format(sampleRate: rate, channels: channels, bitRate: Self.bitRate),
            let output = AVAudioFormat(settings: [
                AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: input.sampleRate, AVNumberOfChannelsKey: Int(channels),
            ]), let converter = AVAudioConverter(from: input, to: output)
        else { throw AppleVideoError.unexpectedFormat }
        converter.bitRate = Int(Self.bitRate)
        self.input = input
        self.format = format
        self.converter = converter
        priming = Int64(converter.primeInfo.leadingFrames)
        return converter
    }

    /// All packets that the converter has after this piece.
    private func drain(_ converter: AVAudioConverter, _ piece: Piece) throws -> [EncodedSample] {
        var samples: [EncodedSample] = []
        while true {
            let output = AVAudioCompressedBuffer(
                format: converter.outputFormat, packetCapacity: 8, maximumPacketSize: converter.maximumOutputPacketSize)
            var error: NSError?
            let status = converter.convert(to: output, error: &error) { _, state in piece.give(to: state) }
            if status == .error { throw AppleVideoError.failed("AVAudioConverter: \(error?.code ?? 0)") }
            samples += try packets(of: output)
            if status != .haveData { return samples }
        }
    }

    private func packets(of buffer: AVAudioCompressedBuffer) throws -> [EncodedSample] {
        guard buffer.packetCount > 0 else { return [] }
        guard let descriptions = buffer.packetDescriptions else { throw AppleVideoError.unexpectedFormat }
        return try (0..<Int(buffer.packetCount)).map { index in
            let (start, size) = (descriptions[index].mStartOffset, Int(descriptions[index].mDataByteSize))
            guard let offset = Int(exactly: start), offset >= 0, size > 0, offset + size <= Int(buffer.byteLength) else {
                throw AppleVideoError.unexpectedFormat
            }
            defer { packets += 1 }
            let time = packets * AACDescription.samplesPerPacket
            return EncodedSample(
                bytes: Array(UnsafeRawBufferPointer(start: buffer.data + offset, count: size)), decodeTime: time, presentationTime: time,
                duration: UInt32(AACDescription.samplesPerPacket), isSync: true)
        }
    }
}

/// A piece of sound that a converter asks for: once, then there is none for now, or none any more.
///
/// Sendable since the converter asks while `convert` runs, on its caller's thread.
private final class Piece: @unchecked Sendable {
    private var buffer: AVAudioPCMBuffer?
    private let isLast: Bool

    init(_ buffer: AVAudioPCMBuffer?, isLast: Bool) {
        self.buffer = buffer
        self.isLast = isLast
    }

    func give(to status: UnsafeMutablePointer<AVAudioConverterInputStatus>) -> AVAudioBuffer? {
        defer { buffer = nil }
        status.pointee = buffer != nil ? .haveData : isLast ? .endOfStream : .noDataNow
        return buffer
    }
}
