import CaptureProtocol
import Foundation
import Movie
import VideoChain

/// What the log of a recording says, without the bytes of its samples.
struct RecordingSummary {
    let beginning: RecordingJournal.Beginning
    private(set) var pictures: RecordingJournal.Pictures?
    /// What the packets of sound are; `nil` if none becomes part of the video: then it has no track of sound, and its chain none of sound
    /// (SPEC §10.2).
    private(set) var packets: RecordingJournal.Packets?
    /// Whether the recording ended as it should, and was not cut off.
    private(set) var hasEnded = false
    /// The device that signed checkpoints, if it is known.
    private(set) var device: DeviceID?
    /// Samples at the beginning of the log that become the video: up to the first picture whose depth map is not there.
    private(set) var sampleCount = 0
    /// Pictures among them.
    private(set) var pictureCount: UInt32 = 0
    /// Pictures whose depth maps are there, in the order of these.
    private(set) var depths: [UInt32] = []
    private var measurements: [UInt8]?
    private var checkpoints: [UInt32: RecordingJournal.Checkpoint] = [:]
    private var signatures: [UInt32: [UInt8]] = [:]

    /// Reads a log once.
    /// - Throws: ``RecordingError`` `empty` if nothing was recorded; ``FileError``.
    init(_ log: SealedLogReader) throws {
        var log = log
        guard let first = try log.next().flatMap(RecordingJournal.read), case .began(let beginning) = first.entry else {
            throw RecordingError.empty
        }
        self.beginning = beginning
        var samples: [(isSound: Bool, hasDepth: Bool)] = []
        while let (entry, content) = try log.next().flatMap(RecordingJournal.read) {
            switch entry {
            case .began: continue
            case .pictures(let format): pictures = format
            case .sound(let format): packets = format
            case .sample(let sample): samples.append((sample.isSound, sample.depth != nil))
            case .depth(let sample): depths.append(sample)
            case .checkpoint(let checkpoint): checkpoints[checkpoint.index] = checkpoint
            case .signed(let index, let assertion, let device):
                signatures[index] = Array(assertion)
                self.device = self.device ?? device
            case .measured: measurements = Array(content)
            case .ended: hasEnded = true
            }
        }
        keep(samples)
    }

    private mutating func keep(_ samples: [(isSound: Bool, hasDepth: Bool)]) {
        let written = Set(depths)
        for sample in samples {
            if !sample.isSound {
                guard !sample.hasDepth || written.contains(pictureCount) else { break }
                pictureCount += 1
            }
            sampleCount += 1
        }
        // Nothing but pictures.
        if sampleCount == Int(pictureCount) { packets = nil }
    }

    /// Depth maps of pictures that become the video.
    var depthCount: Int { depths.count { $0 < pictureCount } }

    /// Whether the stream of depth data is whole, and nothing in it is left out.
    var hasWholeDepth: Bool { hasEnded && depths.allSatisfy { $0 < pictureCount } }

    /// The depth as it was measured while it was recorded, in privacy mode; `nil` if the recording was cut off.
    /// - Parameter durationMilliseconds: of the video.
    func measured(durationMilliseconds: Int) -> SignedVideoDepth? {
        guard hasEnded, let measurements else { return nil }
        return try? SignedVideoDepth.parse(measurements, frames: Int(pictureCount), durationMilliseconds: durationMilliseconds)
    }

    /// The checkpoint with the assertion that was made for it.
    func signed(_ checkpoint: VideoCheckpoint) -> VideoCheckpoint {
        guard checkpoints[checkpoint.index] == RecordingJournal.Checkpoint(checkpoint) else { return checkpoint }
        return checkpoint.signed(signatures[checkpoint.index])
    }
}

extension VideoCheckpoint {
    func signed(_ assertion: [UInt8]?) -> VideoCheckpoint {
        VideoCheckpoint(
            index: index, frames: frames, hash: hash, soundFrames: soundFrames, soundHash: soundHash, assertion: assertion)
    }
}
