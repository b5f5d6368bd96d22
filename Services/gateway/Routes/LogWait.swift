import CaptureProtocol
import Foundation

/// How long a stream of events waits for the log: a minute after the capture became final (SPEC §14).
///
/// A stream that saw it in processing counts by itself: the time of completion is the database's, and its clock may be another than this
/// host's.
struct LogWait: Sendable {
    static let seconds = 60.0
    private var wasProcessing = false
    private var end: ContinuousClock.Instant?

    /// Whether it was long enough, each time that the capture was looked at.
    /// - Parameters:
    ///   - finalAt: by the database's clock.
    ///   - time: by this host's clock.
    mutating func isOver(_ status: CaptureStatus, finalAt: Date, at time: Date, _ now: ContinuousClock.Instant = .now) -> Bool {
        guard status != .processing else {
            wasProcessing = true
            return false
        }
        let age = wasProcessing ? 0 : min(max(0, time.timeIntervalSince(finalAt)), Self.seconds)
        let known = end ?? now.advanced(by: .seconds(Self.seconds - age))
        end = known
        return now >= known
    }
}
