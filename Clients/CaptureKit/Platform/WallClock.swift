public import Foundation

/// The time of day and waiting, so that tests need no real time.
public protocol WallClock: Sendable {
    /// The device's time of day, which may be wrong.
    var now: Date { get }

    /// Returns after the duration; throws `CancellationError` when the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The device's own clock.
public struct SystemWallClock: WallClock {
    public init() {}
    public var now: Date { Date() }
    public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
