import CaptureProtocol
import Foundation

/// Why there is no evidence bundle of a capture yet, and when to ask again.
struct NotLogged: Error, Sendable, Equatable {
    let reason: NotLoggedReason
    let retrySeconds: Int

    /// - Parameter until: for ``NotLoggedReason/held``: the earliest time at which the statement may be in the log.
    init(_ reason: NotLoggedReason, until: Date? = nil, at now: Date) {
        self.reason = reason
        switch reason {
        case .processing, .pending: retrySeconds = 2
        case .unwitnessed: retrySeconds = 60
        case .failed, .frozen: retrySeconds = 3600
        case .held: retrySeconds = min(max(Int(until?.timeIntervalSince(now).rounded(.up) ?? 0), 1), 172_800)
        }
    }
}

extension NotLoggedReason {
    /// For people.
    var sentence: String {
        switch self {
        case .processing: "The capture is still being checked."
        case .failed: "The capture could not be checked, so nothing was entered in the public log."
        case .pending: "The verdict is being entered in the public log."
        case .held: "The verdict is entered in the public log after the end of its day."
        case .unwitnessed: "Too few witnesses have seen the entry in the public log so far."
        case .frozen: "The public log accepts no entries at the moment."
        }
    }
}
