import CaptureKit
import CaptureProtocol
import Foundation
import Models
import Movie
import VideoChain

/// A recorded video in memory, taken apart so that it can be changed.
struct VideoCopy {
    var pictures: [EncodedSample]
    var packets: [EncodedSample]
    var format: VideoFormat
    var createdAt: Date?
    var chain: HashChain
    var depth: [UInt8]
    var assertion: [UInt8]?
    let soundFormat: SoundFormat?
    let priming: Int64
    let metadata: VideoMetadata
    let isQuickTime: Bool

    /// - Throws: ``CommandFailure`` unless the recording is whole.
    init(_ folder: VideoFolder) throws {
        let file = [UInt8](try Data(contentsOf: folder.video))
        var scanner = MovieScanner()
        try scanner.consume(file[...])
        let movie = try scanner.finish()
        func samples(_ samples: [MovieSample], _ offset: Int64) -> [EncodedSample] {
            samples.map {
                EncodedSample(
                    bytes: Array(file[Int($0.offset)..<Int($0.offset) + $0.size]), decodeTime: $0.decodeTime,
                    presentationTime: $0.time + offset, duration: $0.duration, isSync: $0.isSync)
            }
        }
        guard case .chain(let chain) = try SubmittedHashChain.parse([UInt8](try Data(contentsOf: folder.hashChain))) else {
            throw CommandFailure("\(folder.hashChain.path) is not of version \(HashChain.version).")
        }
        pictures = samples(movie.video.samples, movie.video.firstOffset)
        packets = samples(movie.sound?.samples ?? [], movie.sound?.firstOffset ?? 0)
        format = movie.video.format
        createdAt = movie.createdAt
        self.chain = chain
        depth = [UInt8](try Data(contentsOf: folder.depth))
        assertion = folder.isSigned ? [UInt8](try Data(contentsOf: folder.assertion)) : nil
        soundFormat = movie.sound?.format
        priming = movie.sound?.edit?.mediaTime ?? 0
        metadata = try VideoMetadata.parse([UInt8](try Data(contentsOf: folder.metadata)), isOriginalLayout: false)
        isQuickTime = folder.isQuickTime
    }

    /// The whole file.
    func file() throws -> [UInt8] {
        var movie = MovieRecording(brand: isQuickTime ? .quickTime : .mp4)
        var file = movie.head
        for (track, samples) in [(MovieSampleIndex.Track.video, pictures), (.sound, packets)] {
            for sample in samples {
                file += movie.append([
                    MovieRecording.Sample(
                        track: track, size: sample.bytes.count, decodeTime: sample.decodeTime, presentationTime: sample.presentationTime,
                        duration: sample.duration, isSync: sample.isSync)
                ])
                file += sample.bytes
            }
        }
        guard let box = movie.movieBox(video: format, sound: soundFormat, soundPriming: priming, createdAt: createdAt) else {
            throw CommandFailure("Nothing is left of the video.")
        }
        return file + box
    }

    /// - Throws: ``CommandFailure`` if the folder exists or cannot be made.
    func write(to folder: URL) throws {
        let file = try file()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        } catch {
            throw CommandFailure("The folder \(folder.path) exists, or cannot be made.")
        }
        func write(_ bytes: [UInt8], _ name: String) throws { try Data(bytes).write(to: folder.appendingPathComponent(name)) }
        try write(file, PartFile.video(isQuickTime: isQuickTime))
        try write(depth, PartFile.videoDepth)
        try write(WireJSON.encode(chain), PartFile.hashChain)
        try write(
            WireJSON.encode(
                VideoMetadataDraft(
                    videoHash: ContentDigest(of: file), recordingBytes: metadata.recordingBytes ?? [], startedAt: metadata.startedAt,
                    durationMilliseconds: pictures.map { $0.presentationTime * 1000 / Int64(format.timescale) }.max() ?? 0,
                    frameCount: pictures.count, depthKeyframeCount: 0, width: Int(format.width), height: Int(format.height),
                    codec: format.codec.name, isPartial: assertion == nil, checkpointIndex: nil,
                    nonce: CaptureNonce.random())),
            PartFile.metadata)
        if let assertion { try write(assertion, PartFile.assertion) }
    }
}
