import CaptureKit
import CaptureProtocol
import Compression
import Depth
import Foundation
import Movie
import SimulatedDevice
import VideoChain

extension VideoCopy {
    /// - Parameters:
    ///   - number: of the frame that is changed.
    ///   - donor: another recording, for the changes that need one.
    mutating func spoil(_ defect: VideoDefect, frame number: Int, donor: VideoCopy?) throws {
        guard number > 0, number + 2 < pictures.count, donor.map({ number + 2 < $0.pictures.count }) ?? true else {
            throw CommandFailure("--frame must be 1 to \(pictures.count - 3), in both recordings.")
        }
        switch defect {
        case .dropped: pictures.remove(at: number)
        case .droppedGapClosed:
            pictures.remove(at: number)
            moveTimes(from: number, by: -Int64(pictures[number].duration))
        case .duplicated: insert(pictures[number].bytes, at: number + 1)
        case .inserted: insert(donor?.pictures[number].bytes ?? [], at: number)
        case .reordered: exchangeBytes(number, number + 1)
        case .reencoded: pictures[number] = pictures[number].with(bytes: donor?.pictures[number].bytes ?? [])
        case .turned: format = format.turned
        case .otherDepth: depth = donor?.depth ?? depth
        case .soundReplaced: packets = zip(packets, donor?.packets ?? []).map { $0.with(bytes: $1.bytes) }
        case .moovChanged: createdAt = createdAt?.addingTimeInterval(-3600)
        case .missingSignatures:
            assertion = nil
            chain = chain.with(chain.checkpoints.map { $0.with(assertion: nil) })
        case .checkpointOtherKey:
            var device = SimulatedDevice()
            chain = chain.with(
                try chain.checkpoints.map {
                    $0.with(assertion: try device.assertion(clientDataHash: VideoClientData.hash(of: $0).bytes))
                })
        case .checkpointsExchanged:
            let assertions = chain.checkpoints.map(\.assertion).reversed()
            chain = chain.with(zip(chain.checkpoints, assertions).map { $0.with(assertion: $1) })
        case .restartedChain: try rechain(restartingAt: number)
        case .withoutEnd: try keep(chain.checkpoints.last?.frames ?? number)
        case .otherTail:
            let end = chain.checkpoints.last?.frames ?? number
            pictures = Array(pictures.prefix(end)) + (donor?.pictures.dropFirst(end) ?? [])
            try rechain()
        case .otherHead:
            let end = min(number, chain.checkpoints.first?.frames ?? number)
            pictures = (donor?.pictures.prefix(end) ?? []) + Array(pictures.dropFirst(end))
            try rechain()
        }
    }

    private mutating func moveTimes(from number: Int, by ticks: Int64) {
        for index in pictures.indices.dropFirst(number) { pictures[index] = pictures[index].moved(by: ticks) }
    }

    private mutating func insert(_ bytes: [UInt8], at number: Int) {
        let sample = pictures[number]
        moveTimes(from: number, by: Int64(sample.duration))
        pictures.insert(sample.with(bytes: bytes), at: number)
    }

    private mutating func exchangeBytes(_ first: Int, _ second: Int) {
        let (one, other) = (pictures[first], pictures[second])
        pictures[first] = one.with(bytes: other.bytes)
        pictures[second] = other.with(bytes: one.bytes)
    }

    private mutating func keep(_ count: Int) throws {
        pictures = Array(pictures.prefix(count))
        depth = try DepthReading.cut(depth, before: count)
        let end = pictures.map { $0.presentationTime + Int64($0.duration) }.max() ?? 0
        if let soundFormat {
            packets = packets.filter { $0.presentationTime * Int64(format.timescale) < end * Int64(soundFormat.timescale) }
        }
        try rechain()
    }

    /// A chain that fits the file, with the signatures of checkpoints as they were and none of the end.
    /// - Parameter restart: a frame before which the chain begins again.
    private mutating func rechain(restartingAt restart: Int? = nil) throws {
        let recording = ContentDigest(of: metadata.recordingBytes ?? [])
        let first = pictures.first?.presentationTime ?? 0
        let maps = try DepthReading.read(depth)
        let times = Dictionary(uniqueKeysWithValues: zip(pictures.map { $0.presentationTime - first }, 0...))
        let kept = Dictionary(
            maps.digests.records.compactMap { record, digest in times[record.time].map { ($0, digest) } }, uniquingKeysWith: { $1 })
        let start = FrameChain(recording: recording, format: format, depthWidth: maps.width, depthHeight: maps.height)
        var frames = start
        let hashes = pictures.enumerated().map { number, sample in
            if number == restart { frames = start }
            frames.append(
                sample: ContentDigest(of: sample.bytes), depth: kept[number], time: sample.presentationTime - first)
            return frames.hash
        }
        guard let last = hashes.last else { throw CommandFailure("Nothing is left of the video.") }
        var sound = soundFormat.map { SoundChain(recording: recording, format: $0) }
        for packet in packets {
            sound?.append(packet: ContentDigest(of: packet.bytes), time: packet.presentationTime - (packets.first?.presentationTime ?? 0))
        }
        chain = HashChain(
            frameHashes: hashes, finalHash: last, soundFrames: packets.count, soundFinalHash: sound?.hash,
            checkpoints: chain.checkpoints.filter { $0.frames <= hashes.count && $0.soundFrames <= packets.count })
        assertion = nil
    }
}

/// Reads the digests of a recording's depth maps.
private final class DepthReading: InflatedBytesConsumer {
    private var parser = DepthDataParser(DepthDigests())
    private var bytes: [UInt8] = []

    static func read(_ bytes: [UInt8]) throws -> (digests: DepthDigests, width: UInt16, height: UInt16) {
        let reading = DepthReading()
        let stream = InflatedStream(limit: SizeLimits.videoCapture, reading)
        try stream.update(bytes)
        return (reading.parser.visitor, UInt16(clamping: reading.parser.width), UInt16(clamping: reading.parser.height))
    }

    /// The same data with the maps of the first samples only.
    static func cut(_ bytes: [UInt8], before count: Int) throws -> [UInt8] {
        let reading = DepthReading()
        let stream = InflatedStream(limit: SizeLimits.videoCapture, reading)
        try stream.update(bytes)
        let record = DepthData.headerBytes + reading.parser.width * reading.parser.height * 4
        let kept = reading.parser.visitor.records.prefix { $0.record.sample < UInt32(clamping: count) }.count
        return try Deflate.compress(Array(reading.bytes.prefix(DepthData.headerBytes + kept * record)))
    }

    func consume(_ bytes: UnsafeRawBufferPointer) throws(DepthError) {
        self.bytes += bytes
        do throws(DepthDataError) { try parser.update(bytes) } catch { throw DepthError(.corrupt, error.message) }
    }

    func end() {}
}

extension EncodedSample {
    fileprivate func with(bytes: [UInt8]) -> EncodedSample {
        EncodedSample(bytes: bytes, decodeTime: decodeTime, presentationTime: presentationTime, duration: duration, isSync: isSync)
    }

    fileprivate func moved(by ticks: Int64) -> EncodedSample {
        EncodedSample(
            bytes: bytes, decodeTime: decodeTime + ticks, presentationTime: presentationTime + ticks, duration: duration, isSync: isSync)
    }
}

extension VideoFormat {
    fileprivate var turned: VideoFormat {
        VideoFormat(
            codec: codec, width: width, height: height, rotation: rotation == .half ? .none : .half, timescale: timescale,
            configuration: configuration, colour: colour)
    }
}

extension HashChain {
    func with(_ checkpoints: [VideoCheckpoint]) -> HashChain {
        HashChain(
            frameHashes: frameHashes, finalHash: finalHash, soundFrames: soundFrames, soundFinalHash: soundFinalHash,
            checkpoints: checkpoints)
    }
}

extension VideoCheckpoint {
    func with(assertion: [UInt8]?) -> VideoCheckpoint {
        VideoCheckpoint(
            index: index, frames: frames, hash: hash, soundFrames: soundFrames, soundHash: soundHash, assertion: assertion)
    }
}
