/// What a capture is, from the route that accepts it to its evidence. Switches over it have no `default`, so the compiler finds the places
/// that a new kind must handle.
public enum CaptureKind: Sendable, Hashable, CaseIterable {
    /// A photo with its depth map, both kept by the server.
    case photo
    /// A photo of which the server has only the hash (privacy mode, SPEC §9).
    case hashOnly
    /// A video with its depth (SPEC §10), kept by the server.
    case video
    /// A video of which the server has only the hash (SPEC §10.11).
    case hashOnlyVideo

    public var type: CaptureType {
        switch self {
        case .photo, .hashOnly: .photo
        case .video, .hashOnlyVideo: .video
        }
    }

    public var mode: CaptureMode {
        switch self {
        case .photo, .video: .full
        case .hashOnly, .hashOnlyVideo: .hashOnly
        }
    }

    /// Combines type and mode, as used in rows, events and responses.
    /// - Returns: `nil` for a pair that does not exist.
    public init?(type: CaptureType, mode: CaptureMode) {
        guard let kind = Self.allCases.first(where: { $0.type == type && $0.mode == mode }) else { return nil }
        self = kind
    }

    /// Reads type and mode from the columns of a row.
    /// - Returns: `nil` for values that this version does not know.
    public init?(type: String, mode: String) {
        guard let type = CaptureType(rawValue: type), let mode = CaptureMode(rawValue: mode) else { return nil }
        self.init(type: type, mode: mode)
    }
}

/// What was captured.
public enum CaptureType: String, Codable, Sendable, CaseIterable { case photo, video }

/// Whether the server has the media or only its hash.
public enum CaptureMode: String, Codable, Sendable, CaseIterable {
    case full
    case hashOnly = "hash_only"

    public var storesMedia: Bool {
        switch self {
        case .full: true
        case .hashOnly: false
        }
    }
}
