public import CaptureProtocol
public import Movie

/// The chain of an upload, computed again from its file and compared with what was sent (SPEC §10.4).
public struct ChainComparison: Sendable, Equatable {
    /// Whether everything is what the file gives.
    public let isIntact: Bool
    /// The first n whose H(n+1) differs; `nil` if none does: only depth times, sound or a checkpoint may differ then.
    public let breakAtFrame: Int?

    /// - Parameters:
    ///   - recording: SHA-256 of the recording's bytes.
    ///   - depthWidth: pixels of a depth map, like `depthHeight`.
    ///   - depth: of all records.
    ///   - frames: SHA-256 of each sample of `movie`.
    ///   - packets: SHA-256 of each packet of sound.
    public init(
        of chain: HashChain, recording: ContentDigest, movie: Movie, depthWidth: UInt16, depthHeight: UInt16, depth: DepthDigests,
        frames: [ContentDigest], packets: [ContentDigest]
    ) {
        let samples = movie.video.samples
        var digests: [Int: ContentDigest] = [:]
        var areRecordsInPlace = true
        for (record, digest) in depth.records {
            if let number = record.sampleNumber(in: movie) {
                digests[number] = digest
            } else {
                areRecordsInPlace = false
            }
        }
        var current = FrameChain(
            recording: recording, format: movie.video.format, depthWidth: depthWidth, depthHeight: depthHeight)
        var hashes: [ContentDigest] = []
        hashes.reserveCapacity(samples.count)
        for (number, sample) in samples.enumerated() where number < frames.count {
            current.append(sample: frames[number], depth: digests[number], time: sample.time)
            hashes.append(current.hash)
        }
        breakAtFrame = Self.firstDifference(hashes, chain.frameHashes)
        let sound = Self.sound(movie.sound, recording, packets)
        let soundStates = sound.map { $0.map(\.hash) } ?? [.zero]
        func matches(_ checkpoint: VideoCheckpoint) -> Bool {
            checkpoint.frames <= hashes.count && hashes[checkpoint.frames - 1] == checkpoint.hash
                && checkpoint.soundFrames < soundStates.count && soundStates[checkpoint.soundFrames] == checkpoint.soundHash
        }
        isIntact =
            areRecordsInPlace && breakAtFrame == nil && chain.finalHash == hashes.last && chain.soundFrames == soundStates.count - 1
            && chain.soundFinalHash == sound?.last?.hash && chain.checkpoints.allSatisfy(matches)
    }

    /// A(0), A(1), …; `nil` without sound.
    private static func sound(_ track: SoundTrack?, _ recording: ContentDigest, _ packets: [ContentDigest]) -> [SoundChain]? {
        guard let track else { return nil }
        var states = [SoundChain(recording: recording, format: track.format)]
        for (packet, sample) in zip(packets, track.samples) {
            var next = states[states.count - 1]
            next.append(packet: packet, time: sample.time)
            states.append(next)
        }
        return states
    }

    private static func firstDifference(_ computed: [ContentDigest], _ claimed: [ContentDigest]) -> Int? {
        if let index = zip(computed, claimed).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset { return index }
        return computed.count == claimed.count ? nil : min(computed.count, claimed.count)
    }
}

extension VideoTrack {
    /// How long everything shown is among the first samples in file order (SPEC §10.4): the least p over the others, or the end.
    /// - Parameters:
    ///   - count: how many samples are verified.
    ///   - duration: of the whole video, in milliseconds.
    /// - Returns: milliseconds, rounded down.
    public func verifiedMilliseconds(of count: Int, duration: Int64) -> Int64 {
        guard count > 0 else { return 0 }
        guard let first = samples.dropFirst(count).map(\.time).min() else { return duration }
        let (product, overflow) = first.multipliedReportingOverflow(by: 1000)
        return overflow ? 0 : min(max(0, product / Int64(format.timescale)), duration)
    }
}
