/// How much the store may hold, and for how long.
public struct StoreLimits: Sendable {
    /// From this size on people are warned.
    public var warningBytes: Int64 = 500_000_000
    /// At this size new captures are refused.
    public var maximumBytes: Int64 = 1_000_000_000
    /// After this time photo and depth map of an uploaded capture are removed, once the server has said again that it has it; thumbnail and
    /// facts stay for the history.
    public var retention: Duration = .seconds(7 * 86_400)

    public init() {}
}

/// How much of the store is used.
public struct StoreUsage: Sendable, Equatable {
    /// The sealed content of all captures.
    public let bytes: Int64
    /// The part of it that no time-out removes: photos, videos and their depth in privacy mode, until their person deletes them.
    public let keptBytes: Int64
    public let warningBytes: Int64
    public let maximumBytes: Int64

    public init(bytes: Int64, keptBytes: Int64 = 0, warningBytes: Int64, maximumBytes: Int64) {
        self.bytes = bytes
        self.keptBytes = keptBytes
        self.warningBytes = warningBytes
        self.maximumBytes = maximumBytes
    }

    public var isNearlyFull: Bool { bytes >= warningBytes }
    public var isFull: Bool { bytes >= maximumBytes }
}
