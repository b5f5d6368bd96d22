/// The `hash_chain` part of a video capture (SPEC §10.2).
public struct HashChain: Sendable, Equatable {
    /// The layout that covers the samples as stored.
    public static let version = 2
    /// Samples that a video may have.
    public static let frameCounts = 1...1000
    /// Packets of sound that a video may have.
    public static let soundCounts = 0...4096
    /// The maximum number of checkpoints.
    public static let maximumCheckpoints = 8

    /// H(1)…H(N).
    public let frameHashes: [ContentDigest]
    public let finalHash: ContentDigest
    /// The number of packets of sound; 0 without sound.
    public let soundFrames: Int
    /// A of all packets; `nil` without sound.
    public let soundFinalHash: ContentDigest?
    /// The checkpoints, with ascending index and number of frames.
    public let checkpoints: [VideoCheckpoint]

    public init(
        frameHashes: [ContentDigest], finalHash: ContentDigest, soundFrames: Int, soundFinalHash: ContentDigest?,
        checkpoints: [VideoCheckpoint]
    ) {
        self.frameHashes = frameHashes
        self.finalHash = finalHash
        self.soundFrames = soundFrames
        self.soundFinalHash = soundFinalHash
        self.checkpoints = checkpoints
    }

    enum Keys: String, CodingKey {
        case version
        case frameHashes = "frame_hashes"
        case finalHash = "final_hash"
        case soundFrames = "audio_frames"
        case soundFinalHash = "audio_final_hash"
        case checkpoints
    }
}

/// The state of both chains at a checkpoint (SPEC §10.2).
public struct VideoCheckpoint: Sendable, Equatable {
    public let index: UInt32
    /// How many samples it covers, at least 1.
    public let frames: Int
    /// H(frames).
    public let hash: ContentDigest
    /// How many packets of sound it covers.
    public let soundFrames: Int
    /// A of those; ``ContentDigest/zero`` without sound.
    public let soundHash: ContentDigest
    /// CBOR; `nil` if the device failed to sign it.
    public let assertion: [UInt8]?

    public init(index: UInt32, frames: Int, hash: ContentDigest, soundFrames: Int, soundHash: ContentDigest, assertion: [UInt8]?) {
        self.index = index
        self.frames = frames
        self.hash = hash
        self.soundFrames = soundFrames
        self.soundHash = soundHash
        self.assertion = assertion
    }

    enum Keys: String, CodingKey {
        case index, frames, hash
        case soundFrames = "audio_frames"
        case soundHash = "audio_hash"
        case assertion
    }
}

/// The `hash_chain` part in the layout of the product's first documents (SPEC §10.5), over decoded pixels: it cannot be computed again.
public struct OriginalHashChain: Sendable, Equatable {
    public let finalHash: ContentDigest
    public let frameCount: Int
}

/// The `hash_chain` part of an upload.
public enum SubmittedHashChain: Sendable, Equatable {
    case chain(HashChain)
    case original(OriginalHashChain)
}

extension ContentDigest {
    /// 32 zero bytes: what stands for a chain that does not exist.
    public static let zero: ContentDigest = {
        guard let digest = ContentDigest(bytes: [UInt8](repeating: 0, count: 32)) else { preconditionFailure("32 bytes are a digest") }
        return digest
    }()
}
