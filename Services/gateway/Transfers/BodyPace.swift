import NIOCore

/// Enforces a request body's timeout and minimum rate (SPEC §2).
///
/// Only time spent waiting for the client counts, not time in which the gateway is busy. Pure state: the caller passes the time.
struct BodyPace {
    /// Why a body is aborted.
    enum Failure: String, Error, Sendable {
        /// The timeout has passed.
        case late
        /// Less than the minimum rate was received.
        case slow
    }

    /// The timeout of an empty body.
    static let grace = TimeAmount.seconds(15)
    /// The timeout grows by one second for this many bytes of the declared length.
    static let bytesPerSecond: Int64 = 50_000
    /// The maximum timeout, and that of a body without a declared length.
    static let longest = TimeAmount.seconds(600)
    /// The minimum rate: ``leastBytes`` in each `window`. Far below what the timeout requires, so that bad networks may stall for a while.
    static let window = TimeAmount.seconds(15)
    static let leastBytes = 10_000

    /// The total timeout.
    let allowed: TimeAmount
    private var waited = TimeAmount.zero
    private var waitedInWindow = TimeAmount.zero
    private var bytesInWindow = 0
    private var waitsSince: NIODeadline?

    /// - Parameter length: the declared length in bytes; `nil` if unknown.
    init(length: Int64?) { allowed = Self.deadline(length: length) }

    static func deadline(length: Int64?) -> TimeAmount {
        guard let length, length >= 0 else { return longest }
        let counted = min(length, (longest - grace).nanoseconds / 1_000_000_000 * bytesPerSecond)
        return grace + .nanoseconds(counted * (1_000_000_000 / bytesPerSecond))
    }

    /// From now on the gateway waits for the client.
    mutating func wait(at now: NIODeadline) {
        if waitsSince == nil { waitsSince = now }
    }

    /// From now on the gateway processes what it received.
    mutating func pause(at now: NIODeadline) {
        settle(at: now)
        waitsSince = nil
    }

    mutating func receive(_ bytes: Int) { bytesInWindow += bytes }

    /// - Returns: why the body must be aborted now; `nil` if it need not.
    mutating func failure(at now: NIODeadline) -> Failure? {
        settle(at: now)
        if waited >= allowed { return .late }
        guard waitedInWindow >= Self.window else { return nil }
        defer {
            waitedInWindow = .zero
            bytesInWindow = 0
        }
        return bytesInWindow < Self.leastBytes ? .slow : nil
    }

    /// Time until ``failure(at:)`` must be called again; `nil` while the gateway does not wait for the client.
    func timeout(at now: NIODeadline) -> TimeAmount? {
        guard let waitsSince else { return nil }
        let pending = now - waitsSince
        return max(.zero, min(allowed - waited, Self.window - waitedInWindow) - pending)
    }

    private mutating func settle(at now: NIODeadline) {
        guard let since = waitsSince else { return }
        let more = max(.zero, now - since)
        waited = waited + more
        waitedInWindow = waitedInWindow + more
        waitsSince = now
    }
}
