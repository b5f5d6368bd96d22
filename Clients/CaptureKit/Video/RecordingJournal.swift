import CaptureProtocol
import Foundation
import Movie

/// What is written while a recording goes on: entries of a sealed log, each a JSON object with the bytes that it tells of behind it. So an
/// entry and its bytes are both there after a crash, or neither.
enum RecordingJournal {
    enum Entry: Codable, Sendable {
        case began(Beginning)
        case pictures(Pictures)
        case sound(Packets)
        /// A sample; its bytes follow.
        case sample(Sample)
        /// A depth map, by the number of its sample; with the bytes by which the stream of depth data grew, from its header on.
        case depth(sample: UInt32)
        case checkpoint(Checkpoint)
        /// - Parameter device: that signed it, if it is known.
        case signed(index: UInt32, assertion: Data, device: DeviceID?)
        /// The measurements of the depth of a recording in privacy mode that ended as it should, behind it as JSON.
        case measured
        /// The recording ended as it should; with the end of the stream of depth data.
        case ended
    }

    struct Beginning: Codable, Sendable {
        let recording: Data
        let isQuickTime: Bool
        let depthWidth: UInt16
        let depthHeight: UInt16
        /// In privacy mode; `nil` for a video that is sent.
        let privacy: RecordingPrivacy?
    }

    struct Pictures: Codable, Sendable {
        let codec: String
        let width: UInt16
        let height: UInt16
        let rotation: UInt16
        let timescale: UInt32
        let configuration: Data
        let colour: Data?
    }

    struct Packets: Codable, Sendable {
        let timescale: UInt32
        let channels: UInt16
        let sampleRate: UInt32
        let descriptor: Data
        let priming: Int64
    }

    struct Sample: Codable, Sendable {
        let isSound: Bool
        let decodeTime: Int64
        let presentationTime: Int64
        let duration: UInt32
        let isSync: Bool
        /// SHA-256 of its depth map, which has an entry of its own, before this one or behind it.
        let depth: Data?
    }

    struct Checkpoint: Codable, Sendable, Equatable {
        let index: UInt32
        let frames: Int
        let hash: Data
        let soundFrames: Int
        let soundHash: Data
    }

    static func bytes(_ entry: Entry, _ content: [UInt8]) throws -> [UInt8] {
        let json = try JSONEncoder().encode(entry)
        return withUnsafeBytes(of: UInt32(clamping: json.count).bigEndian, Array.init) + json + content
    }

    /// - Returns: `nil` for an entry of another version.
    static func read(_ bytes: [UInt8]) -> (entry: Entry, content: ArraySlice<UInt8>)? {
        let length = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count >= 4, length <= bytes.count - 4,
            let entry = try? JSONDecoder().decode(Entry.self, from: Data(bytes[4..<4 + length]))
        else { return nil }
        return (entry, bytes[(4 + length)...])
    }
}

extension RecordingJournal.Sample {
    init(_ sample: EncodedSample, isSound: Bool, depth: ContentDigest?) {
        self.init(
            isSound: isSound, decodeTime: sample.decodeTime, presentationTime: sample.presentationTime, duration: sample.duration,
            isSync: sample.isSync, depth: depth.map { Data($0.bytes) })
    }

    func described(size: Int) -> MovieRecording.Sample {
        MovieRecording.Sample(
            track: isSound ? .sound : .video, size: size, decodeTime: decodeTime, presentationTime: presentationTime, duration: duration,
            isSync: isSync)
    }
}

extension RecordingJournal.Checkpoint {
    init(_ checkpoint: VideoCheckpoint) {
        self.init(
            index: checkpoint.index, frames: checkpoint.frames, hash: Data(checkpoint.hash.bytes), soundFrames: checkpoint.soundFrames,
            soundHash: Data(checkpoint.soundHash.bytes))
    }
}

extension RecordingJournal.Pictures {
    init(_ format: VideoFormat) {
        self.init(
            codec: format.codec.rawValue, width: format.width, height: format.height, rotation: format.rotation.rawValue,
            timescale: format.timescale, configuration: Data(format.configuration), colour: format.colour.map { Data($0) })
    }

    var format: VideoFormat? {
        guard let codec = VideoCodec(rawValue: codec), let rotation = VideoRotation(rawValue: rotation) else { return nil }
        return VideoFormat(
            codec: codec, width: width, height: height, rotation: rotation, timescale: timescale, configuration: Array(configuration),
            colour: colour.map { Array($0) })
    }
}

extension RecordingJournal.Packets {
    init(_ format: SoundFormat, priming: Int64) {
        self.init(
            timescale: format.timescale, channels: format.channels, sampleRate: format.sampleRate, descriptor: Data(format.descriptor),
            priming: priming)
    }

    var format: SoundFormat {
        SoundFormat(timescale: timescale, channels: channels, sampleRate: sampleRate, descriptor: Array(descriptor))
    }
}
