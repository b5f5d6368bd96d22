import CaptureProtocol
import Foundation
import Models
import Movie
import VideoChain

/// Writes what follows when video and depth are complete: metadata, hash chain, and the assertion over all four.
struct RecordingEnd {
    let folder: RecordingFolder
    let recording: [UInt8]
    let format: VideoFormat
    let movie: MovieRecording
    let chains: RecordingChains
    let checkpoints: [VideoCheckpoint]
    let depthCount: Int
    let isPartial: Bool

    /// - Parameter signer: `nil` if nothing new is to be signed.
    func write(video: ContentDigest, depth: ContentDigest, signer: (any RecordingSigner)?) async throws -> RecordedVideo {
        guard let finalHash = chains.frameHashes.last else { throw RecordingError.empty }
        let chain = HashChain(
            frameHashes: chains.frameHashes, finalHash: finalHash, soundFrames: chains.soundFrames, soundFinalHash: chains.soundHash,
            checkpoints: checkpoints)
        let chainBytes = try WireJSON.encode(chain)
        let metadata = try metadata(video)
        var assertion: [UInt8]?
        if let signer {
            assertion = await signer.assertion(
                over: VideoClientData.final(
                    video: video, depth: depth, metadata: ContentDigest(of: metadata), hashChain: ContentDigest(of: chainBytes)))
        }
        try folder.replace(folder.hashChain, with: chainBytes)
        try folder.replace(folder.metadata, with: metadata)
        if let assertion { try folder.replace(folder.assertion, with: assertion) }
        try folder.files.remove(folder.journal)
        try folder.files.syncFolder(folder.path)
        return RecordedVideo(
            frameCount: chains.frameHashes.count, soundFrames: chains.soundFrames, depthCount: depthCount, checkpoints: checkpoints,
            durationMilliseconds: durationMilliseconds, isSigned: assertion != nil, isPartial: isPartial)
    }

    private var durationMilliseconds: Int64 {
        let pictures = movie.samples.lazy.map(\.sample).filter { $0.track == .video }
        guard let first = pictures.first, let end = pictures.map({ $0.presentationTime + Int64($0.duration) }).max() else { return 0 }
        return (end - first.presentationTime) * 1000 / Int64(format.timescale)
    }

    private func metadata(_ video: ContentDigest) throws -> [UInt8] {
        try WireJSON.encode(
            VideoMetadataDraft(
                videoHash: video, recordingBytes: recording, startedAt: try VideoRecording.parse(recording).startedAt,
                durationMilliseconds: durationMilliseconds, frameCount: chains.frameHashes.count, depthKeyframeCount: depthCount,
                width: Int(format.width), height: Int(format.height), codec: format.codec == .h264 ? "h264" : "hevc",
                isPartial: isPartial, checkpointIndex: checkpoints.last { $0.assertion != nil }.map { Int($0.index) }))
    }
}
