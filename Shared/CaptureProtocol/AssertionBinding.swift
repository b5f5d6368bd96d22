/// Which bytes the hardware signature covers.
public enum AssertionBinding: String, Codable, Sendable {
    case photoDepthMetadata = "photo+depth+metadata"
    case photoDepth = "photo+depth"
    case photo
    /// The payload of a hash-only capture: the photo's hash, the depth's measurements and the metadata (SPEC §9).
    case payload
    /// Video, depth, metadata and hash chain: the final assertion of a recording (SPEC §10.3).
    case videoDepthMetadata = "video+depth+metadata"
    /// The beginning of a recording, up to its last signed checkpoint, and what was fixed when it began.
    case checkpoint

    /// The parts of the uploaded capture that it covers.
    /// - Parameter isChainIntact: of a recording: whether its chain, computed again, is the one that was sent. A checkpoint signs hashes
    ///   that the sender states, so otherwise it covers nothing that was uploaded. Any other binding signs the parts themselves.
    public func signedParts(isChainIntact: Bool) -> [SignedPart] {
        switch self {
        case .photoDepthMetadata, .payload: [.photo, .depth, .metadata]
        case .photoDepth: [.photo, .depth]
        case .photo: [.photo]
        case .videoDepthMetadata: [.video, .depth, .metadata]
        // It covers only a beginning of pictures and depth. Time, place and model are in the recording, which checkpoints sign.
        case .checkpoint: isChainIntact ? [.metadata] : []
        }
    }
}

/// A part of a capture that the hardware signature may cover.
public enum SignedPart: String, Codable, Sendable, CaseIterable { case photo, video, depth, metadata }
