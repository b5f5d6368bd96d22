public import CaptureProtocol

/// A capture in the store.
public struct StoredCapture: Sendable, Equatable {
    public let id: LocalID
    /// Increases with each capture.
    public let position: Int64
    public let kind: CaptureKind
    public let state: CaptureState
    /// The device that signed it, or that sends it without an assertion; `nil` before.
    public let device: DeviceID?
    /// The server's id, once it is uploaded.
    public let serverID: CaptureID?
    /// Failures that count towards ``CaptureState/failed``.
    public let failures: Int
    /// Attempts to make the assertion.
    public let assertionAttempts: Int
    /// Bytes of each part, unsealed.
    public let sizes: [SealedKind: Int64]
    public let facts: CaptureFacts

    /// Whether photo and depth map are sent, or stay on the device (privacy mode).
    public var mode: CaptureMode { kind.mode }
    public var hasAssertion: Bool { sizes[.assertion] != nil }
    /// Whether the server said that it was withdrawn.
    public var isWithdrawn: Bool { facts.withdrawnOnServer == true }
    /// Whether what is sent is still there.
    public var hasContent: Bool { kind.hasContent(sizes) }
}

extension CaptureKind {
    /// Whether what is sent of such a capture is among the parts.
    func hasContent(_ sizes: [SealedKind: Int64]) -> Bool {
        switch self {
        case .photo: sizes[.photo] != nil && sizes[.depth] != nil
        case .video: sizes[.video] != nil && sizes[.depth] != nil
        case .hashOnly, .hashOnlyVideo: sizes[.payload] != nil
        }
    }
}
