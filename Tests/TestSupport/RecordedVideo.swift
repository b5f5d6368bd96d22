public import CaptureProtocol
import Compression
public import Foundation
public import Movie
import VideoChain

/// A small recording as a device would send it, of samples that no decoder could read: the chain covers them as they are. Everything that
/// is signed can be changed before.
public struct RecordedVideo: Sendable {
    /// Signs a client data hash; `nil` fails.
    public typealias Signer = (ContentDigest) throws -> [UInt8]?

    public static let timescale: UInt32 = 600
    public static let soundTimescale: UInt32 = 44_100
    public static let depthSide = 2

    public var recording: [UInt8]
    /// One for each picture, in file order.
    public var frames: [[UInt8]]
    public var packets: [[UInt8]]
    /// How long the last picture lasts, in ticks.
    public var lastDuration: UInt32 = 60
    /// By sample number.
    public var maps: [Int: [Float]]
    /// The file; what was not recorded in it is the caller's doing.
    public var video: [UInt8] = []
    public var depth: [UInt8] = []
    public var chain: HashChain
    public var chainBytes: [UInt8] = []
    public var metadata: [UInt8] = []
    public var assertion: [UInt8]?

    public let format = VideoFormat(
        codec: .h264, width: 64, height: 48, rotation: .quarter, timescale: timescale,
        configuration: [1, 0x42, 0xc0, 0x1e, 0xff, 0xe1, 0, 4, 0x67, 0x42, 0xc0, 0x1e, 1, 0, 2, 0x68, 0xce])
    public let soundFormat = SoundFormat(
        timescale: soundTimescale, channels: 1, sampleRate: soundTimescale,
        descriptor: [
            0x03, 0x19, 0, 0, 0, 0x04, 0x11, 0x40, 0x15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x05, 0x02, 0x12, 0x08, 0x06, 0x01, 0x02,
        ])

    /// - Parameters:
    ///   - seconds: at 10 pictures a second, each with depth every third.
    ///   - sign: the assertions of checkpoints in order, then the final one; `nil` for one that is not there.
    public init(
        seconds: Double = 12, hasSound: Bool = true, startedAt: Date, deviceModel: String = "iPhone 15 Pro", seed: UInt8 = 0,
        location: PreciseLocation? = nil, sign: Signer = { _ in nil }
    ) throws {
        recording = try WireJSON.encode(
            VideoRecording(id: UUID(), startedAt: startedAt, deviceModel: deviceModel, osVersion: "26.1", location: location))
        frames = (0..<Int(seconds * 10)).map { [UInt8](repeating: seed &+ UInt8(truncatingIfNeeded: $0), count: 20 + $0 % 7) }
        packets = hasSound ? (0..<Int(seconds * 43)).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 5) } : []
        maps = [:]
        for sample in stride(from: 0, to: frames.count, by: 3) { maps[sample] = [1, 1.5, 2, Float(sample) / 100 + 0.5] }
        chain = HashChain(frameHashes: [], finalHash: .zero, soundFrames: 0, soundFinalHash: nil, checkpoints: [])
        writeFile()
        try writeDepth()
        try record(sign)
    }

    /// p(n) of a picture.
    public func time(_ frame: Int) -> Int64 { Int64(frame) * 60 }

    /// Writes ``video`` from frames and packets.
    public mutating func writeFile() {
        var file = MovieRecording(brand: .mp4)
        video = file.head
        var packet = 0
        for (index, frame) in frames.enumerated() {
            append(
                frame, &file,
                .init(
                    track: .video, size: frame.count, decodeTime: time(index), presentationTime: time(index),
                    duration: index == frames.count - 1 ? lastDuration : 60, isSync: index.isMultiple(of: 10)))
            while packet < packets.count, Int64(packet) * 1024 * 10 < Int64(index + 1) * Int64(Self.soundTimescale) {
                append(
                    packets[packet], &file,
                    .init(
                        track: .sound, size: packets[packet].count, decodeTime: Int64(packet) * 1024,
                        presentationTime: Int64(packet) * 1024,
                        duration: 1024, isSync: true))
                packet += 1
            }
        }
        packets.removeLast(packets.count - packet)
        video += file.movieBox(video: format, sound: packets.isEmpty ? nil : soundFormat) ?? []
    }

    private mutating func append(_ bytes: [UInt8], _ file: inout MovieRecording, _ sample: MovieRecording.Sample) {
        video += file.append([sample]) + bytes
    }

    /// Writes ``depth`` from the maps.
    /// - Parameter name: the sample that all records name; `nil` for each its own.
    public mutating func writeDepth(naming name: UInt32? = nil) throws {
        var bytes = DepthData.header(width: UInt16(Self.depthSide), height: UInt16(Self.depthSide))
        for sample in maps.keys.sorted() {
            bytes += DepthData.recordHeader(sample: name ?? UInt32(sample), time: time(sample))
            for value in maps[sample] ?? [] { withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += $0 } }
        }
        depth = try Deflate.compress(bytes)
    }

    /// Makes the chain of frames, maps and packets, its checkpoints, the metadata and the assertions, as a device does.
    public mutating func record(_ sign: Signer) throws {
        let digest = ContentDigest(of: recording)
        var pictures = FrameChain(
            recording: digest, format: format, depthWidth: UInt16(Self.depthSide), depthHeight: UInt16(Self.depthSide))
        var sound = SoundChain(recording: digest, format: soundFormat)
        var clock = CheckpointClock(timescale: Self.timescale)
        var hashes: [ContentDigest] = []
        var checkpoints: [VideoCheckpoint] = []
        for (index, frame) in frames.enumerated() {
            let due = clock
            if let reached = clock.pass(time(index)) {
                while sound.count < packets.count, due.covers(sound: Int64(sound.count) * 1024, soundTimescale: Self.soundTimescale) {
                    sound.append(packet: ContentDigest(of: packets[sound.count]), time: Int64(sound.count) * 1024)
                }
                let point = VideoCheckpoint(
                    index: reached, frames: index, hash: pictures.hash, soundFrames: sound.count,
                    soundHash: packets.isEmpty ? .zero : sound.hash, assertion: nil)
                checkpoints.append(point.signed(try sign(VideoClientData.hash(of: point))))
            }
            let map = maps[index].map { values in
                ContentDigest(of: values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } })
            }
            pictures.append(sample: ContentDigest(of: frame), depth: map, time: time(index))
            hashes.append(pictures.hash)
        }
        while sound.count < packets.count {
            sound.append(packet: ContentDigest(of: packets[sound.count]), time: Int64(sound.count) * 1024)
        }
        chain = HashChain(
            frameHashes: hashes, finalHash: pictures.hash, soundFrames: sound.count, soundFinalHash: packets.isEmpty ? nil : sound.hash,
            checkpoints: checkpoints)
        try describe()
        assertion = try sign(finalHash)
    }

    /// Writes chain and metadata as they are now.
    public mutating func describe() throws {
        chainBytes = try WireJSON.encode(chain)
        let parsed = try VideoRecording.parse(recording)
        metadata = try WireJSON.encode(
            VideoMetadataDraft(
                videoHash: ContentDigest(of: video), recordingBytes: recording, startedAt: parsed.startedAt,
                durationMilliseconds: Int64(frames.count) * 100, frameCount: frames.count, depthKeyframeCount: maps.count,
                width: Int(format.width), height: Int(format.height), codec: "h264", isPartial: false, checkpointIndex: nil))
    }

    /// What the final assertion signs.
    public var finalHash: ContentDigest {
        VideoClientData.final(
            video: ContentDigest(of: video), depth: ContentDigest(of: depth), metadata: ContentDigest(of: metadata),
            hashChain: ContentDigest(of: chainBytes))
    }
}

extension VideoCheckpoint {
    /// The same checkpoint with another assertion.
    public func signed(_ assertion: [UInt8]?) -> VideoCheckpoint {
        VideoCheckpoint(index: index, frames: frames, hash: hash, soundFrames: soundFrames, soundHash: soundHash, assertion: assertion)
    }
}
