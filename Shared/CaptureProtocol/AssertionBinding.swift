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

    public var coversDepth: Bool { covers.contains(.depth) }
    /// Whether it covers the metadata, which contain time, place and model.
    public var coversMetadata: Bool { covers.contains(.metadata) }

    /// The parts of the uploaded capture that it covers. A checkpoint signs hashes that the sender states: those of the uploaded recording
    /// only if its chain, computed again, is intact.
    /// - Parameter isChainIntact: of a recording; any other binding signs the parts themselves.
    public func covers(isChainIntact: Bool) -> [SignedPart] { self != .checkpoint || isChainIntact ? covers : [] }

    /// The signed parts of the capture.
    public var covers: [SignedPart] {
        switch self {
        case .photoDepthMetadata, .payload: [.photo, .depth, .metadata]
        case .photoDepth: [.photo, .depth]
        case .photo: [.photo]
        case .videoDepthMetadata: [.video, .depth, .metadata]
        // It covers only a beginning of pictures and depth. Time, place and model are in the recording, which checkpoints sign.
        case .checkpoint: [.metadata]
        }
    }
}

/// A part of a capture that the hardware signature may cover.
public enum SignedPart: String, Codable, Sendable, CaseIterable { case photo, video, depth, metadata }
