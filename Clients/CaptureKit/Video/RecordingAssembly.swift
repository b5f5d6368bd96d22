import CaptureProtocol
import Foundation
import Models
import Movie

/// Makes the sealed parts of a video of the sealed log of a recording, whether that ended or was cut off. The same log gives the same
/// parts.
///
/// A sample is in memory at a time, and nothing is plain on the disk.
struct RecordingAssembly {
    /// The sealed parts of a finished recording, not yet asserted.
    struct Parts {
        let contents: [SealedKind: SealedContent]
        let facts: RecordingFacts
        let startedAt: Date
        /// In privacy mode; `nil` for a video that is sent.
        let keptBack: KeptBack?
        /// What the assertion covers: the end (SPEC §10.3), or the payload (SPEC §9).
        let clientDataHash: ContentDigest
    }

    /// What is known of a video in privacy mode, which has no metadata that are sent.
    struct KeptBack {
        let flags: MetadataFlags
        let depthWidth: Int
        let depthHeight: Int
    }

    let id: LocalID
    let files: SealedFiles

    /// - Throws: ``RecordingError`` `empty` and `noDepth` if too little was recorded; ``FileError``, `missing` if there is no such log;
    ///   ``SealError``; in privacy mode `HashOnlyError` if the server would refuse what was recorded.
    func assemble() throws -> Parts {
        let summary = try RecordingSummary(try files.openLog(SealedItem(id, .recording)))
        guard let format = summary.pictures?.format, summary.pictureCount > 0 else { throw RecordingError.empty }
        let kinds = VideoPartKinds(of: summary.beginning.privacy == nil ? .full : .hashOnly)
        let recording = Array(summary.beginning.recording)
        let parsed = try VideoRecording.parse(recording)
        // In privacy mode no depth map is sent.
        guard summary.depthCount > 0 || summary.beginning.privacy != nil else {
            throw summary.pictureCount < VideoTime.picturesPerDepth ? RecordingError.empty : RecordingError.noDepth
        }
        var chains = RecordingChains(
            recording: ContentDigest(of: recording), depthWidth: summary.beginning.depthWidth,
            depthHeight: summary.beginning.depthHeight, hasSound: summary.packets != nil)
        chains.begin(format)
        if let packets = summary.packets { chains.begin(packets.format) }
        var movie = MovieRecording(brand: summary.beginning.isQuickTime ? .quickTime : .mp4)
        let videoFile = try files.create(SealedItem(id, kinds.video))
        let depthFile = try RecordingDepth(try files.create(SealedItem(id, kinds.depth)), summary)
        try videoFile.write(movie.head)
        let reached = try write(summary, videoFile, depthFile, into: &chains, &movie)
        guard
            let box = movie.movieBox(
                video: format, sound: summary.packets?.format, soundPriming: summary.packets?.priming ?? 0, createdAt: parsed.startedAt,
                quickTimeCreationDate: summary.beginning.isQuickTime ? Timestamp.format(parsed.startedAt) : nil,
                quickTimeModel: summary.beginning.isQuickTime ? parsed.deviceModel : nil), let finalHash = chains.frameHashes.last
        else { throw RecordingError.empty }
        try videoFile.write(box)
        let (video, depth) = (try videoFile.commit(), try depthFile.commit())
        // What is cut off has no use for checkpoints that nobody signed.
        let checkpoints = reached.map(summary.signed).filter { summary.hasEnded || $0.assertion != nil }
        let hashChain = try seal(
            WireJSON.encode(
                HashChain(
                    frameHashes: chains.frameHashes, finalHash: finalHash, soundFrames: chains.soundFrames,
                    soundFinalHash: chains.soundHash, checkpoints: checkpoints)), kinds.hashChain)
        let facts = RecordingFacts(
            hashChainDigest: hashChain.digest, isQuickTime: summary.beginning.isQuickTime,
            durationMilliseconds: movie.durationMilliseconds(timescale: format.timescale), frameCount: chains.frameHashes.count,
            soundPacketCount: chains.soundFrames, depthCount: summary.depthCount,
            checkpointCount: checkpoints.count, signedCheckpointCount: checkpoints.count { $0.assertion != nil },
            signer: summary.device, isPartial: !summary.hasEnded)
        let metadata = try sealMetadata(
            of: recording, startedAt: parsed.startedAt, video: video.digest, format, facts,
            lastSigned: checkpoints.last { $0.assertion != nil }, as: kinds.metadata)
        var contents = [kinds.video: video, kinds.depth: depth, kinds.hashChain: hashChain, kinds.metadata: metadata]
        guard let privacy = summary.beginning.privacy else {
            return Parts(
                contents: contents, facts: facts, startedAt: parsed.startedAt, keptBack: nil,
                clientDataHash: VideoClientData.final(
                    video: video.digest, depth: depth.digest, metadata: metadata.digest, hashChain: hashChain.digest))
        }
        let payload = try privacy.payload(
            parsed, mediaHash: video.digest,
            video: SignedVideo(
                durationMilliseconds: Int(facts.durationMilliseconds), frameCount: facts.frameCount, finalHash: finalHash,
                depth: summary.measured(durationMilliseconds: Int(facts.durationMilliseconds))))
        contents[.payload] = try seal(payload, .payload)
        return Parts(
            contents: contents, facts: facts, startedAt: parsed.startedAt,
            keptBack: .init(
                flags: privacy.flags, depthWidth: Int(summary.beginning.depthWidth), depthHeight: Int(summary.beginning.depthHeight)),
            clientDataHash: HashOnlyClientData.hash(payload: payload))
    }

    /// Removes what an assembly that did not end has left, but not the log.
    func discard() {
        try? files.remove(SealedKind.allCases.filter { $0 != .recording }.map { SealedItem(id, $0) })
    }

    private func seal(_ bytes: [UInt8], _ kind: SealedKind) throws -> SealedContent {
        let file = try files.create(SealedItem(id, kind))
        try file.write(bytes)
        return try file.commit()
    }

    private func sealMetadata(
        of recording: [UInt8], startedAt: Date, video: ContentDigest, _ format: VideoFormat, _ facts: RecordingFacts,
        lastSigned: VideoCheckpoint?, as kind: SealedKind
    ) throws -> SealedContent {
        try seal(
            WireJSON.encode(
                VideoMetadataDraft(
                    videoHash: video, recordingBytes: recording, startedAt: startedAt, durationMilliseconds: facts.durationMilliseconds,
                    frameCount: facts.frameCount, depthKeyframeCount: facts.depthCount, width: Int(format.width),
                    height: Int(format.height), codec: format.codec.name, isPartial: facts.isPartial,
                    checkpointIndex: lastSigned.map { Int($0.index) }, nonce: CaptureNonce.random())),
            kind)
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
            case .began, .pictures, .sound, .sample, .checkpoint, .signed, .measured: continue
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
