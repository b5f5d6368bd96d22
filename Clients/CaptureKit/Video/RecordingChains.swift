import CaptureProtocol
import Movie
import VideoChain

/// The chains of a recording while its samples come out, and the checkpoints that they reach (SPEC §10.2).
struct RecordingChains: Sendable {
    /// SHA-256 of the recording's bytes.
    let recording: ContentDigest
    let depthWidth: UInt16
    let depthHeight: UInt16
    /// False also once no more sound will come.
    private(set) var awaitsSound: Bool

    /// H(1), H(2), …
    private(set) var frameHashes: [ContentDigest] = []
    private var frames: FrameChain?
    private var clock = CheckpointClock(timescale: VideoTime.timescale)
    private var sound: SoundChain?
    private var soundTimescale: UInt32 = 1
    /// A(0), A(1), …, and the times of packets 0, 1, …
    private var soundStates: [ContentDigest] = []
    private var soundTimes: [Int64] = []
    /// Reached by the pictures, waiting for the sound before their time.
    private var waiting: [(index: UInt32, frames: Int, hash: ContentDigest)] = []

    init(recording: ContentDigest, depthWidth: UInt16, depthHeight: UInt16, hasSound: Bool) {
        self.recording = recording
        self.depthWidth = depthWidth
        self.depthHeight = depthHeight
        awaitsSound = hasSound
    }

    var soundFrames: Int { soundTimes.count }
    var soundHash: ContentDigest? { soundStates.last }

    mutating func begin(_ format: VideoFormat) {
        frames = FrameChain(recording: recording, format: format, depthWidth: depthWidth, depthHeight: depthHeight)
        clock = CheckpointClock(timescale: format.timescale)
    }

    mutating func begin(_ format: SoundFormat) {
        let chain = SoundChain(recording: recording, format: format)
        sound = chain
        soundTimescale = format.timescale
        soundStates = [chain.hash]
    }

    /// Adds a picture in decoding order.
    /// - Parameters:
    ///   - depth: SHA-256 of its depth map.
    ///   - time: p(n).
    /// - Returns: checkpoints that are complete now, unsigned.
    mutating func append(picture: ContentDigest, depth: ContentDigest?, time: Int64) -> [VideoCheckpoint] {
        if let last = frameHashes.last, let index = clock.pass(time) { waiting.append((index, frameHashes.count, last)) }
        frames?.append(sample: picture, depth: depth, time: time)
        if let hash = frames?.hash { frameHashes.append(hash) }
        return complete()
    }

    /// Adds a packet of sound.
    /// - Returns: as ``append(picture:depth:time:)``.
    mutating func append(packet: ContentDigest, time: Int64) -> [VideoCheckpoint] {
        sound?.append(packet: packet, time: time)
        if let hash = sound?.hash {
            soundStates.append(hash)
            soundTimes.append(time)
        }
        return complete()
    }

    /// No more sound comes.
    /// - Returns: as ``append(picture:depth:time:)``.
    mutating func endSound() -> [VideoCheckpoint] {
        awaitsSound = false
        return complete()
    }

    private mutating func complete() -> [VideoCheckpoint] {
        var complete: [VideoCheckpoint] = []
        while let next = waiting.first {
            let end = Int64(soundTimescale) * CheckpointClock.interval * (Int64(next.index) + 1)
            guard !awaitsSound || (soundTimes.last ?? -1) >= end else { break }
            waiting.removeFirst()
            let covered = soundTimes.firstIndex { $0 >= end } ?? soundTimes.count
            complete.append(
                VideoCheckpoint(
                    index: next.index, frames: next.frames, hash: next.hash, soundFrames: covered,
                    soundHash: covered < soundStates.count ? soundStates[covered] : .zero, assertion: nil))
        }
        return complete
    }
}
