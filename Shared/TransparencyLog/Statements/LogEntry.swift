public import CaptureProtocol

/// What a leaf says of a statement or of a withdrawal: a ``LogLeaf/entry(kind:time:subject:commitment:)``.
public struct LogEntry: Sendable, Equatable {
    public let kind: LogLeaf.Kind
    /// POSIX seconds.
    public let time: Int
    public let subject: LogSubject
    public let commitment: ContentDigest

    /// - Parameter leaf: the bytes of any leaf.
    /// - Returns: `nil` for a leaf of a shard's beginning or end, and for what is no leaf.
    public init?(leaf: [UInt8]) {
        guard case .entry(let kind, let time, let subject, let commitment)? = try? LogLeaf(bytes: leaf) else { return nil }
        self.kind = kind
        self.time = time
        self.subject = subject
        self.commitment = commitment
    }
}
