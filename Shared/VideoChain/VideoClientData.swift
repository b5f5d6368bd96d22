public import CaptureProtocol
import Crypto

/// The client data hashes of a recording's App Attest assertions (SPEC §10.3).
public enum VideoClientData {
    private static let checkpointTag = Array("rial-video-checkpoint-v2".utf8) + [0]
    private static let finalTag = Array("rial-video-v2".utf8) + [0]

    /// Of a checkpoint, signed when it is reached.
    public static func hash(of checkpoint: VideoCheckpoint) -> ContentDigest {
        var hasher = SHA256()
        hasher.update(data: checkpointTag)
        hasher.update(bigEndian: checkpoint.index)
        hasher.update(bigEndian: UInt32(clamping: checkpoint.frames))
        hasher.update(data: checkpoint.hash.bytes)
        hasher.update(bigEndian: UInt32(clamping: checkpoint.soundFrames))
        hasher.update(data: checkpoint.soundHash.bytes)
        return ContentDigest(hasher.finalize())
    }

    /// Of the final assertion, over the parts as sent.
    public static func final(
        video: ContentDigest, depth: ContentDigest, metadata: ContentDigest, hashChain: ContentDigest
    ) -> ContentDigest {
        ContentDigest(of: finalTag + video.bytes + depth.bytes + metadata.bytes + hashChain.bytes)
    }

    /// What an assertion in the original layout may be made over (SPEC §10.5).
    public static func original(finalHash: ContentDigest) -> [ContentDigest] { [ContentDigest(of: finalHash.bytes), finalHash] }
}
