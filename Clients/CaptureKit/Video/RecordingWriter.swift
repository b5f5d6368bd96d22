import CaptureProtocol
import Compression
import Crypto
import Foundation
import Movie
import VideoChain

/// Writes a recording while it goes on: samples, depth and journal, each at once.
final class RecordingWriter {
    let folder: RecordingFolder
    private(set) var movie: MovieRecording
    private(set) var depthCount = 0
    private let video: any WritableFile
    private let depth: any WritableFile
    private let journal: any WritableFile
    private let gzip: GzipStream
    private var videoHasher = SHA256()
    private var depthHasher = SHA256()

    init(_ folder: RecordingFolder, recording: [UInt8], depthWidth: UInt16, depthHeight: UInt16) throws {
        self.folder = folder
        try folder.files.createFolder(folder.path)
        movie = MovieRecording(brand: folder.isQuickTime ? .quickTime : .mp4)
        gzip = try GzipStream()
        journal = try folder.files.create(folder.journal)
        video = try folder.files.create(folder.video)
        depth = try folder.files.create(folder.depth)
        try note(
            .began(
                .init(recording: Data(recording), isQuickTime: folder.isQuickTime, depthWidth: depthWidth, depthHeight: depthHeight)))
        try writeVideo(movie.head)
        try writeDepth(gzip.write(DepthData.header(width: depthWidth, height: depthHeight)))
    }

    func note(_ entry: RecordingJournal.Entry) throws { try journal.write(RecordingJournal.line(entry)) }

    /// - Parameter hasDepth: whether a depth map was, or will be, written for it.
    func append(_ sample: EncodedSample, to track: MovieSampleIndex.Track, hasDepth: Bool = false) throws {
        let described = MovieRecording.Sample(
            track: track, size: sample.bytes.count, decodeTime: sample.decodeTime, presentationTime: sample.presentationTime,
            duration: sample.duration, isSync: sample.isSync)
        let header = movie.append([described])
        try writeVideo(header + sample.bytes)
        try note(
            .sample(
                .init(
                    isSound: track == .sound, offset: movie.length - Int64(sample.bytes.count), size: sample.bytes.count,
                    decodeTime: sample.decodeTime, presentationTime: sample.presentationTime, duration: sample.duration,
                    isSync: sample.isSync, hasDepth: hasDepth)))
    }

    func append(_ depth: DepthPlane, sample: UInt32, time: Int64) throws {
        try writeDepth(gzip.write(DepthData.recordHeader(sample: sample, time: time) + depth.bytes))
        try note(.depth(sample: sample))
        depthCount += 1
    }

    /// Ends video and depth.
    /// - Returns: the digests of both files.
    func finish(movieBox: [UInt8]) throws -> (video: ContentDigest, depth: ContentDigest) {
        try writeVideo(movieBox)
        try writeDepth(gzip.finish())
        try video.sync()
        try depth.sync()
        return (ContentDigest(videoHasher.finalize()), ContentDigest(depthHasher.finalize()))
    }

    private func writeVideo(_ bytes: [UInt8]) throws {
        videoHasher.update(data: bytes)
        try video.write(bytes)
    }

    private func writeDepth(_ bytes: [UInt8]) throws {
        depthHasher.update(data: bytes)
        try depth.write(bytes)
    }
}
