/// The client data hashes of a recording's App Attest assertions (SPEC §10.3).
public enum VideoClientData {
    private static let checkpointTag = Array("rial-video-checkpoint-v2".utf8) + [0]
    private static let finalTag = Array("rial-video-v2".utf8) + [0]

    /// The client data hash of a checkpoint, which is signed when it is reached.
    public static func hash(of checkpoint: VideoCheckpoint) -> ContentDigest {
        var message = checkpointTag
        message += bigEndian(checkpoint.index)
        message += bigEndian(UInt32(clamping: checkpoint.frames))
        message += checkpoint.hash.bytes
        message += bigEndian(UInt32(clamping: checkpoint.soundFrames))
        message += checkpoint.soundHash.bytes
        return ContentDigest(of: message)
    }

    /// The client data hash of the final assertion, over the parts as sent.
    public static func final(
        video: ContentDigest, depth: ContentDigest, metadata: ContentDigest, hashChain: ContentDigest
    ) -> ContentDigest {
        ContentDigest(of: finalTag + video.bytes + depth.bytes + metadata.bytes + hashChain.bytes)
    }

    /// What an assertion in the original layout may be made over (SPEC §10.5).
    public static func original(finalHash: ContentDigest) -> [ContentDigest] { [ContentDigest(of: finalHash.bytes), finalHash] }

    private static func bigEndian(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
