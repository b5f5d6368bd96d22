public import Foundation

/// The same moment on two clocks: the seconds since start-up that the camera counts, and the time of day.
///
/// `ARFrame.timestamp` counts from start-up: taken for a time of day it would be in 1970.
public struct ClockPairing: Sendable, Equatable {
    /// `ProcessInfo.systemUptime`, in seconds.
    public let uptime: TimeInterval
    public let date: Date

    public init(uptime: TimeInterval, date: Date) {
        self.uptime = uptime
        self.date = date
    }

    /// Reads both clocks. Read them for each frame, since the time of day may be set in between.
    public static func now() -> ClockPairing { ClockPairing(uptime: ProcessInfo.processInfo.systemUptime, date: Date()) }

    /// The time of day when the first clock showed `uptime`, between 1970 and 9999; ``date`` if that is not a number.
    public func date(atUptime uptime: TimeInterval) -> Date {
        let seconds = date.timeIntervalSince1970 + (uptime - self.uptime)
        return seconds.isFinite ? Date(timeIntervalSince1970: min(max(seconds, 0), 253_402_300_799)) : date
    }
}
