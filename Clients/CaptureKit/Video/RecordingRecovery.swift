import CaptureProtocol
import Foundation
import Movie
import VideoChain

/// Makes an upload of a recording whose process was killed: all that is on disk, with the checkpoints that were signed and no new signature.
public struct RecordingRecovery: Sendable {
    private let folder: RecordingFolder

    /// - Parameter folder: of the recording; whether it is QuickTime is read from its journal.
    public init(_ folder: RecordingFolder) { self.folder = folder }

    /// Recovering twice, or after being killed while recovering, gives the same.
    /// - Throws: ``RecordingError`` `empty` if no picture was recorded; ``FileError`` `missing` if there is no unfinished recording.
    public func recover() async throws -> RecordedVideo {
        let entries = RecordingJournal.entries(try folder.read(folder.journal))
        guard case .began(let beginning) = entries.first else { throw RecordingError.empty }
        let folder = RecordingFolder(folder.path, files: folder.files, isQuickTime: beginning.isQuickTime)
        let journal = JournalReading(entries)
        guard let format = journal.pictures?.format else { throw RecordingError.empty }
        let depths = RecoveredDepth(of: try folder.read(folder.depth), count: journal.depthCount)
        let video = try folder.files.open(folder.video)
        let samples = journal.samples(before: try video.sizeBytes, depths: Set(depths.records.map(\.record.sample)))
        let recording = Array(beginning.recording)
        var chains = RecordingChains(
            recording: ContentDigest(of: recording), depthWidth: beginning.depthWidth, depthHeight: beginning.depthHeight,
            hasSound: journal.packets != nil)
        chains.begin(format)
        if let packets = journal.packets { chains.begin(packets.format) }
        let reached = try chain(samples, depths, video, into: &chains)
        let brand: MovieBrand = beginning.isQuickTime ? .quickTime : .mp4
        let movie = MovieRecording(resuming: samples.map(\.placed), brand: brand)
        let parsed = try VideoRecording.parse(recording)
        guard !chains.frameHashes.isEmpty,
            let box = movie.movieBox(
                video: format, sound: journal.packets?.format, soundPriming: journal.packets?.priming ?? 0, createdAt: parsed.startedAt,
                quickTimeCreationDate: beginning.isQuickTime ? Timestamp.format(parsed.startedAt) : nil,
                quickTimeModel: beginning.isQuickTime ? parsed.deviceModel : nil)
        else { throw RecordingError.empty }
        let videoBytes = try video.read(Int(movie.length), at: 0) + box
        let kept = depths.records.filter { $0.record.sample < chains.frameHashes.count }
        let depthBytes = try RecoveredDepth.compressed(kept, width: beginning.depthWidth, height: beginning.depthHeight)
        try folder.replace(folder.video, with: videoBytes)
        try folder.replace(folder.depth, with: depthBytes)
        let checkpoints = reached.compactMap { checkpoint in journal.signature(of: checkpoint).map { checkpoint.signed($0) } }
        let end = RecordingEnd(
            folder: folder, recording: recording, format: format, movie: movie, chains: chains, checkpoints: checkpoints,
            depthCount: kept.count, isPartial: true)
        return try await end.write(video: ContentDigest(of: videoBytes), depth: ContentDigest(of: depthBytes), signer: nil)
    }

    /// Computes the chains of what is on disk again.
    /// - Returns: the checkpoints that it reaches.
    private func chain(
        _ samples: [RecordingJournal.Sample], _ depths: RecoveredDepth, _ video: any ReadableFile, into chains: inout RecordingChains
    ) throws -> [VideoCheckpoint] {
        let digests = Dictionary(depths.records.map { ($0.record.sample, $0.digest) }) { first, _ in first }
        let firstShown = samples.first { !$0.isSound }?.presentationTime ?? 0
        let firstPacket = samples.first(where: \.isSound)?.presentationTime ?? 0
        var reached: [VideoCheckpoint] = []
        for sample in samples {
            let digest = ContentDigest(of: try video.read(sample.size, at: sample.offset))
            if sample.isSound {
                reached += chains.append(packet: digest, time: sample.presentationTime - firstPacket)
            } else {
                let depth = digests[UInt32(clamping: chains.frameHashes.count)]
                reached += chains.append(picture: digest, depth: depth, time: sample.presentationTime - firstShown)
            }
        }
        return reached + chains.endSound()
    }
}

/// What a journal says.
private struct JournalReading {
    private(set) var pictures: RecordingJournal.Pictures?
    private(set) var packets: RecordingJournal.Packets?
    private(set) var depthCount = 0
    private var samples: [RecordingJournal.Sample] = []
    private var checkpoints: [UInt32: RecordingJournal.Checkpoint] = [:]
    private var signatures: [UInt32: [UInt8]] = [:]

    init(_ entries: [RecordingJournal.Entry]) {
        for entry in entries {
            switch entry {
            case .began: continue
            case .pictures(let format): pictures = format
            case .sound(let format): packets = format
            case .sample(let sample): samples.append(sample)
            case .depth: depthCount += 1
            case .checkpoint(let checkpoint): checkpoints[checkpoint.index] = checkpoint
            case .signed(let index, let assertion): signatures[index] = Array(assertion)
            }
        }
    }

    /// The samples that are on disk, up to the first picture whose depth is not.
    func samples(before end: Int64, depths: Set<UInt32>) -> [RecordingJournal.Sample] {
        var kept: [RecordingJournal.Sample] = []
        var number: UInt32 = 0
        for sample in samples {
            guard sample.offset + Int64(sample.size) <= end else { break }
            if !sample.isSound {
                guard !sample.hasDepth || depths.contains(number) else { break }
                number += 1
            }
            kept.append(sample)
        }
        return kept
    }

    /// - Returns: `nil` if it was not signed, or is another one.
    func signature(of checkpoint: VideoCheckpoint) -> [UInt8]? {
        guard let noted = checkpoints[checkpoint.index], noted.frames == checkpoint.frames, Array(noted.hash) == checkpoint.hash.bytes,
            noted.soundFrames == checkpoint.soundFrames, Array(noted.soundHash) == checkpoint.soundHash.bytes
        else { return nil }
        return signatures[checkpoint.index]
    }
}

extension RecordingJournal.Sample {
    fileprivate var placed: MovieRecording.Placed {
        MovieRecording.Placed(
            sample: MovieRecording.Sample(
                track: isSound ? .sound : .video, size: size, decodeTime: decodeTime, presentationTime: presentationTime,
                duration: duration, isSync: isSync),
            offset: offset)
    }
}
