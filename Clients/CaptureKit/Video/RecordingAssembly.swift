import CaptureProtocol
import Foundation
import Models
import Movie
import VideoChain

/// Makes the sealed parts of a video of the sealed log of a recording, whether that ended or was cut off. The same log gives the same parts.
///
/// A sample is in memory at a time, and nothing is plain on the disk.
struct RecordingAssembly {
    /// What became of a recording, without the assertion of its end.
    struct Parts {
        let contents: [SealedKind: SealedContent]
        let facts: VideoFacts
        let startedAt: Date
        /// What the assertion of the end covers (SPEC §10.3).
        let clientDataHash: ContentDigest
    }

    let id: LocalID
    let files: SealedFiles

    /// - Throws: ``RecordingError`` `empty` if no picture was recorded; ``FileError``, `missing` if there is no such log; ``SealError``.
    func assemble() throws -> Parts {
        let summary = try RecordingSummary(try files.openLog(SealedItem(id, .recording)))
        guard let format = summary.pictures?.format, summary.pictureCount > 0 else { throw RecordingError.empty }
        let recording = Array(summary.beginning.recording)
        let parsed = try VideoRecording.parse(recording)
        var chains = RecordingChains(
            recording: ContentDigest(of: recording), depthWidth: summary.beginning.depthWidth,
            depthHeight: summary.beginning.depthHeight, hasSound: summary.packets != nil)
        chains.begin(format)
        if let packets = summary.packets { chains.begin(packets.format) }
        var movie = MovieRecording(brand: summary.beginning.isQuickTime ? .quickTime : .mp4)
        let video = try files.create(SealedItem(id, .video))
        let depth = try RecordingDepth(try files.create(SealedItem(id, .depth)), summary)
        try video.write(movie.head)
        let reached = try write(summary, video, depth, into: &chains, &movie)
        guard
            let box = movie.movieBox(
                video: format, sound: summary.packets?.format, soundPriming: summary.packets?.priming ?? 0, createdAt: parsed.startedAt,
                quickTimeCreationDate: summary.beginning.isQuickTime ? Timestamp.format(parsed.startedAt) : nil,
                quickTimeModel: summary.beginning.isQuickTime ? parsed.deviceModel : nil)
        else { throw RecordingError.empty }
        try video.write(box)
        var contents = [SealedKind.video: try video.commit(), .depth: try depth.commit()]
        // What is cut off has no use for checkpoints that nobody signed.
        let checkpoints = reached.map(summary.signed).filter { summary.hasEnded || $0.assertion != nil }
        guard let finalHash = chains.frameHashes.last, let videoContent = contents[.video] else { throw RecordingError.empty }
        contents[.hashChain] = try seal(
            WireJSON.encode(
                HashChain(
                    frameHashes: chains.frameHashes, finalHash: finalHash, soundFrames: chains.soundFrames,
                    soundFinalHash: chains.soundHash, checkpoints: checkpoints)), .hashChain)
        let facts = VideoFacts(
            hashChainDigest: contents[.hashChain]?.digest ?? .zero, isQuickTime: summary.beginning.isQuickTime,
            durationMilliseconds: movie.durationMilliseconds(timescale: format.timescale), frameCount: chains.frameHashes.count,
            soundPacketCount: chains.soundFrames, depthCount: summary.depths.count { $0 < summary.pictureCount },
            checkpointCount: checkpoints.count, signedCheckpointCount: checkpoints.count { $0.assertion != nil },
            signer: summary.device, isPartial: !summary.hasEnded)
        contents[.metadata] = try seal(
            WireJSON.encode(
                VideoMetadataDraft(
                    videoHash: videoContent.digest, recordingBytes: recording, startedAt: parsed.startedAt,
                    durationMilliseconds: facts.durationMilliseconds, frameCount: facts.frameCount, depthKeyframeCount: facts.depthCount,
                    width: Int(format.width), height: Int(format.height), codec: format.codec == .h264 ? "h264" : "hevc",
                    isPartial: facts.isPartial, checkpointIndex: checkpoints.last { $0.assertion != nil }.map { Int($0.index) },
                    nonce: CaptureNonce.random())),
            .metadata)
        func digest(_ kind: SealedKind) -> ContentDigest { contents[kind]?.digest ?? .zero }
        return Parts(
            contents: contents, facts: facts, startedAt: parsed.startedAt,
            clientDataHash: VideoClientData.final(
                video: digest(.video), depth: digest(.depth), metadata: digest(.metadata), hashChain: digest(.hashChain)))
    }

    /// Removes what an assembly that did not end has left, but not the log.
    func discard() { try? files.remove([.video, .depth, .hashChain, .metadata].map { SealedItem(id, $0) }) }

    private func seal(_ bytes: [UInt8], _ kind: SealedKind) throws -> SealedContent {
        let file = try files.create(SealedItem(id, kind))
        try file.write(bytes)
        return try file.commit()
    }

    /// Copies samples and depth, and computes their chains again.
    /// - Returns: the checkpoints that they reach.
    private func write(
        _ summary: RecordingSummary, _ video: SealedFileWriter, _ depth: RecordingDepth, into chains: inout RecordingChains,
        _ movie: inout MovieRecording
    ) throws -> [VideoCheckpoint] {
        var log = try files.openLog(SealedItem(id, .recording))
        var reached: [VideoCheckpoint] = []
        var (count, firstShown, firstPacket): (Int, Int64?, Int64?) = (0, nil, nil)
        while let (entry, content) = try log.next().flatMap(RecordingJournal.read) {
            switch entry {
            case .sample(let sample) where count < summary.sampleCount:
                count += 1
                try video.write(movie.append([sample.described(size: content.count)]))
                try video.write(Array(content))
                let (digest, time) = (ContentDigest(of: content), sample.presentationTime)
                if sample.isSound {
                    firstPacket = firstPacket ?? time
                    reached += chains.append(packet: digest, time: time - (firstPacket ?? time))
                } else {
                    firstShown = firstShown ?? time
                    reached += chains.append(
                        picture: digest, depth: sample.depth.flatMap { ContentDigest(bytes: $0) }, time: time - (firstShown ?? time))
                }
            case .depth, .ended: try depth.append(content)
            case .began, .pictures, .sound, .sample, .checkpoint, .signed: continue
            }
        }
        return reached + chains.endSound()
    }
}

extension MovieRecording {
    fileprivate func durationMilliseconds(timescale: UInt32) -> Int64 {
        let pictures = samples.lazy.map(\.sample).filter { $0.track == .video }
        guard let first = pictures.first, let end = pictures.map({ $0.presentationTime + Int64($0.duration) }).max() else { return 0 }
        return (end - first.presentationTime) * 1000 / Int64(max(timescale, 1))
    }
}
