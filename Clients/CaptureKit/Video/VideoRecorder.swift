public import CaptureProtocol
import Foundation
import Models
import Movie
import VideoChain

/// Records one video: chains each sample as it comes out of the encoder, has checkpoints signed while recording goes on, and writes everything at
/// once, so that whatever was recorded can be sent although the process is killed (SPEC §10.2, §10.3).
public actor VideoRecorder {
    private let recording: [UInt8]
    private let startedAt: Date
    private let model: String
    private let folder: RecordingFolder
    private let signer: any RecordingSigner
    private var chains: RecordingChains?
    private var writer: RecordingWriter?
    private var checkpoints: [VideoCheckpoint] = []
    /// Signs the checkpoints one after the other, so that their counters rise.
    private var signing: Task<Void, Never>?
    private var pictureFormat: VideoFormat?
    private var soundFormat: (format: SoundFormat, priming: Int64)?
    private var firstPicture: Int64?
    private var firstShown: Int64?
    private var firstPacket: Int64?
    /// Depth maps by p, until their samples have come out and those of all before them are written.
    private var depths: [(time: Int64, depth: DepthPlane, sample: UInt32?)] = []
    private var pictures = 0

    /// - Parameter folder: must not exist.
    /// - Throws: ``RecordingError`` `invalidInput`.
    public init(_ recording: VideoRecording, in folder: RecordingFolder, signer: any RecordingSigner) throws {
        self.recording = try WireJSON.encode(recording)
        guard self.recording.count <= SizeLimits.recording else { throw RecordingError.invalidInput }
        startedAt = recording.startedAt
        model = recording.deviceModel
        self.folder = folder
        self.signer = signer
    }

    /// Records until the source ends, is interrupted, or 15 s are full; then signs the end.
    /// - Parameter sound: `nil` to record without sound.
    /// - Throws: ``RecordingError``, ``FileError``, and errors of source and encoders. What was recorded stays in the folder, for
    ///   ``RecordingRecovery``.
    public func record<Picture, Sound>(
        from source: some FrameSource<Picture, Sound>, video: some VideoEncoder<Picture>, sound: (some AudioEncoder<Sound>)?
    ) async throws -> RecordedVideo {
        do {
            try await take(from: source, video: video, sound: sound)
        } catch {
            await signing?.value
            throw error
        }
        return try await finish()
    }

    private func take<Picture, Sound>(
        from source: some FrameSource<Picture, Sound>, video: some VideoEncoder<Picture>, sound: (some AudioEncoder<Sound>)?
    ) async throws {
        recording: while let input = try await source.next() {
            switch input {
            case .picture(let picture, let time, let depth):
                let since = time - (firstPicture ?? time)
                guard since < VideoTime.limit else { break recording }
                firstPicture = firstPicture ?? time
                try take(depth, at: since, hasSound: sound != nil)
                try await write(pictures: try await video.encode(picture, at: since), of: video)
            case .sound(let piece):
                guard let sound, writer != nil else { continue }
                try await write(packets: try await sound.encode(piece), of: sound)
            case .interruption: break recording
            }
        }
        try await write(pictures: try await video.finish(), of: video)
        if let sound { try await write(packets: try await sound.finish(), of: sound) }
    }

    /// Opens the recording with the first picture, whose depth says how large depth maps are.
    private func take(_ depth: DepthPlane?, at time: Int64, hasSound: Bool) throws {
        defer { pictures += 1 }
        if writer == nil {
            guard let depth, let width = UInt16(exactly: depth.width), let height = UInt16(exactly: depth.height) else {
                throw RecordingError.invalidInput
            }
            writer = try RecordingWriter(folder, recording: recording, depthWidth: width, depthHeight: height)
            chains = RecordingChains(
                recording: ContentDigest(of: recording), depthWidth: width, depthHeight: height, hasSound: hasSound)
        }
        guard let depth, pictures.isMultiple(of: VideoTime.picturesPerDepth), let chains else { return }
        guard depth.width == Int(chains.depthWidth), depth.height == Int(chains.depthHeight) else { throw RecordingError.invalidInput }
        depths.append((time, depth, nil))
    }

    private func write(pictures samples: [EncodedSample], of encoder: some VideoEncoder) async throws {
        guard !samples.isEmpty else { return }
        if pictureFormat == nil {
            guard let format = await encoder.format else { throw RecordingError.noFormat }
            pictureFormat = format
            chains?.begin(format)
            try writer?.note(.pictures(.init(format)))
        }
        for sample in samples {
            let time = sample.presentationTime - (firstShown ?? sample.presentationTime)
            firstShown = firstShown ?? sample.presentationTime
            let number = UInt32(clamping: chains?.frameHashes.count ?? 0)
            let place = depths.firstIndex { $0.time == time }
            let depth = place.map { depths[$0].depth }
            if let place { depths[place].sample = number }
            try writeDepths()
            try writer?.append(sample, to: .video, hasDepth: place != nil)
            sign(
                chains?.append(
                    picture: ContentDigest(of: sample.bytes), depth: depth.map { ContentDigest(of: $0.bytes) }, time: time) ?? [])
        }
    }

    /// Writes the depth maps whose samples have come out, in ascending time.
    private func writeDepths() throws {
        while let next = depths.first, let sample = next.sample {
            try writer?.append(next.depth, sample: sample, time: next.time)
            depths.removeFirst()
        }
    }

    private func write(packets samples: [EncodedSample], of encoder: some AudioEncoder) async throws {
        guard !samples.isEmpty else { return }
        if soundFormat == nil {
            guard let format = await encoder.format else { throw RecordingError.noFormat }
            let priming = await encoder.priming
            soundFormat = (format, priming)
            chains?.begin(format)
            try writer?.note(.sound(.init(format, priming: priming)))
        }
        for sample in samples {
            let time = sample.presentationTime - (firstPacket ?? sample.presentationTime)
            firstPacket = firstPacket ?? sample.presentationTime
            try writer?.append(sample, to: .sound)
            sign(chains?.append(packet: ContentDigest(of: sample.bytes), time: time) ?? [])
        }
    }

    /// Has checkpoints signed while recording goes on.
    private func sign(_ reached: [VideoCheckpoint]) {
        for checkpoint in reached {
            checkpoints.append(checkpoint)
            try? writer?.note(.checkpoint(.init(checkpoint)))
            signing = Task { [signing, signer] in
                await signing?.value
                let assertion = await signer.assertion(over: VideoClientData.hash(of: checkpoint))
                if let assertion { self.keep(assertion, of: checkpoint) }
            }
        }
    }

    private func keep(_ assertion: [UInt8], of checkpoint: VideoCheckpoint) {
        guard let place = checkpoints.firstIndex(where: { $0.index == checkpoint.index }) else { return }
        checkpoints[place] = checkpoint.signed(assertion)
        try? writer?.note(.signed(index: checkpoint.index, assertion: Data(assertion)))
    }

    private func finish() async throws -> RecordedVideo {
        sign(chains?.endSound() ?? [])
        await signing?.value
        try writeDepths()
        guard let writer, let chains, let format = pictureFormat,
            let box = writer.movie.movieBox(
                video: format, sound: soundFormat?.format, soundPriming: soundFormat?.priming ?? 0, createdAt: startedAt,
                quickTimeCreationDate: folder.isQuickTime ? Timestamp.format(startedAt) : nil,
                quickTimeModel: folder.isQuickTime ? model : nil)
        else { throw RecordingError.empty }
        let digests = try writer.finish(movieBox: box)
        let end = RecordingEnd(
            folder: folder, recording: recording, format: format, movie: writer.movie, chains: chains, checkpoints: checkpoints,
            depthCount: writer.depthCount, isPartial: false)
        return try await end.write(video: digests.video, depth: digests.depth, signer: signer)
    }
}

extension VideoCheckpoint {
    func signed(_ assertion: [UInt8]?) -> VideoCheckpoint {
        VideoCheckpoint(
            index: index, frames: frames, hash: hash, soundFrames: soundFrames, soundHash: soundHash, assertion: assertion)
    }
}

extension RecordingJournal.Checkpoint {
    init(_ checkpoint: VideoCheckpoint) {
        self.init(
            index: checkpoint.index, frames: checkpoint.frames, hash: Data(checkpoint.hash.bytes), soundFrames: checkpoint.soundFrames,
            soundHash: Data(checkpoint.soundHash.bytes))
    }
}
