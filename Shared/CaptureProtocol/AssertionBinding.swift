/// Which bytes the hardware signature covers.
public enum AssertionBinding: String, Codable, Sendable {
    case photoDepthMetadata = "photo+depth+metadata"
    case photoDepth = "photo+depth"
    case photo
    /// The payload of a hash-only capture: the photo's hash, the depth's measurements and the metadata (SPEC §9).
    case payload

    public var coversDepth: Bool { covers.contains(.depth) }
    /// Whether it covers the metadata, which contain time, place and model.
    public var coversMetadata: Bool { covers.contains(.metadata) }

    /// The signed parts of the capture.
    public var covers: [SignedPart] {
        switch self {
        case .photoDepthMetadata, .payload: [.photo, .depth, .metadata]
        case .photoDepth: [.photo, .depth]
        case .photo: [.photo]
        }
    }
}

/// A part of a capture that the hardware signature may cover.
public enum SignedPart: String, Codable, Sendable, CaseIterable { case photo, depth, metadata }
