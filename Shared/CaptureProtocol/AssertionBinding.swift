/// Which bytes the hardware signature covers.
public enum AssertionBinding: String, Codable, Sendable {
    case photoDepthMetadata = "photo+depth+metadata"
    case photoDepth = "photo+depth"
    case photo

    public var coversDepth: Bool { self != .photo }
    /// Time, place and model stand in the metadata.
    public var coversMetadata: Bool { self == .photoDepthMetadata }

    /// What of the capture is signed.
    public var covers: [SignedPart] {
        [.photo] + (coversDepth ? [.depth] : []) + (coversMetadata ? [.metadata] : [])
    }
}

/// A part of a capture that the hardware signature may cover.
public enum SignedPart: String, Codable, Sendable, CaseIterable { case photo, depth, metadata }
