import CaptureProtocol
import Foundation
import Movie

/// What is written down while a recording goes on, one JSON object a line, so that it can be finished after the process was killed. An entry is written
/// when the bytes it tells of are.
enum RecordingJournal {
    enum Entry: Codable, Sendable {
        case began(Beginning)
        case pictures(Pictures)
        case sound(Packets)
        case sample(Sample)
        /// A depth map, by the number of its sample.
        case depth(sample: UInt32)
        case checkpoint(Checkpoint)
        case signed(index: UInt32, assertion: Data)
    }

    struct Beginning: Codable, Sendable {
        let recording: Data
        let isQuickTime: Bool
        let depthWidth: UInt16
        let depthHeight: UInt16
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
        let offset: Int64
        let size: Int
        let decodeTime: Int64
        let presentationTime: Int64
        let duration: UInt32
        let isSync: Bool
        let hasDepth: Bool
    }

    struct Checkpoint: Codable, Sendable {
        let index: UInt32
        let frames: Int
        let hash: Data
        let soundFrames: Int
        let soundHash: Data
    }

    static func line(_ entry: Entry) throws -> [UInt8] { Array(try JSONEncoder().encode(entry)) + [0x0A] }

    /// The entries of a journal, up to the first line that was not written whole.
    static func entries(_ bytes: [UInt8]) -> [Entry] {
        var entries: [Entry] = []
        var rest = bytes[...]
        let decoder = JSONDecoder()
        while let end = rest.firstIndex(of: 0x0A), let entry = try? decoder.decode(Entry.self, from: Data(rest[..<end])) {
            entries.append(entry)
            rest = rest[(end + 1)...]
        }
        return entries
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
