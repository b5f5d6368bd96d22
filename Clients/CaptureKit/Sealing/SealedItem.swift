public import CaptureProtocol
public import Foundation

/// A capture in the store, on this device; the server's ``CaptureID`` is another.
public struct LocalID: UUIDIdentifier {
    public let uuid: UUID
    public init(_ uuid: UUID) { self.uuid = uuid }
}

/// The sealed parts of a capture. The raw value is part of a file's name and of its key.
public enum SealedKind: String, Sendable, CaseIterable {
    /// What is sent of a capture in full.
    case photo, depth, metadata
    /// What else is sent of a video.
    case video
    case hashChain = "hash-chain"
    case assertion, thumbnail, facts
    /// What is sent of a capture in privacy mode.
    case payload
    /// Photo or video, and depth, of a capture in privacy mode. They open as nothing else, and nothing that sends opens these.
    case original
    case originalDepth = "original-depth"
    /// What else was recorded of a video in privacy mode: what its owner needs to compute its last hash again.
    case originalHashChain = "original-hash-chain"
    case originalMetadata = "original-metadata"
    /// What a recording writes while it goes on, as a ``SealedLogWriter``; it becomes the parts of a video.
    case recording

    /// What is sent, of either mode.
    static let sent: [SealedKind] = [.photo, .video, .depth, .metadata, .hashChain, .assertion, .payload]
    /// What stays on the device until its person deletes it.
    public static let originals: [SealedKind] = [.original, .originalDepth, .originalHashChain, .originalMetadata]
}

/// What a sealed file or blob is: part of its key, so that it opens as nothing else.
public struct SealedItem: Sendable, Hashable {
    public let capture: LocalID
    public let kind: SealedKind

    public init(_ capture: LocalID, _ kind: SealedKind) {
        self.capture = capture
        self.kind = kind
    }
}

/// Why sealed bytes cannot be opened.
public enum SealError: Error, Sendable, Equatable {
    /// Not the bytes that were sealed under this key, for this item: changed, moved, truncated, or of another store.
    case notAuthentic
    /// The item has a version that this library does not know.
    case unknownVersion
}
