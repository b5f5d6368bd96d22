import NIOCore

/// How long a request's body may take, and how fast it has to come (SPEC §2).
///
/// Only time in which the client is waited for counts: what the gateway itself needs before it reads on is nobody's slowness. Decides and
/// is told the time; reads no clock.
struct BodyPace {
    /// Why a body is aborted.
    enum Failure: String, Error, Sendable {
        /// Its timeout is over.
        case late
        /// Less than the least rate came.
        case slow
    }

    /// What every body has.
    static let grace = TimeAmount.seconds(15)
    /// A second more for each so many bytes of the declared length.
    static let bytesPerSecond: Int64 = 50_000
    /// What no body has more of, and one without a declared length has.
    static let longest = TimeAmount.seconds(600)
    /// The least rate: in each `window` so many bytes. Far below what a deadline needs, so that bad networks have their pauses.
    static let window = TimeAmount.seconds(15)
    static let leastBytes = 10_000

    /// In all.
    let allowed: TimeAmount
    private var waited = TimeAmount.zero
    private var waitedInWindow = TimeAmount.zero
    private var bytesInWindow = 0
    private var waitsSince: NIODeadline?

    /// - Parameter length: as declared, in bytes; `nil` where it is not known.
    init(length: Int64?) { allowed = Self.deadline(length: length) }

    static func deadline(length: Int64?) -> TimeAmount {
        guard let length, length >= 0 else { return longest }
        let counted = min(length, (longest - grace).nanoseconds / 1_000_000_000 * bytesPerSecond)
        return grace + .nanoseconds(counted * (1_000_000_000 / bytesPerSecond))
    }

    /// From now on the client is waited for.
    mutating func wait(at now: NIODeadline) {
        if waitsSince == nil { waitsSince = now }
    }

    /// From now on the gateway is busy with what came.
    mutating func pause(at now: NIODeadline) {
        settle(at: now)
        waitsSince = nil
    }

    mutating func receive(_ bytes: Int) { bytesInWindow += bytes }

    /// - Returns: what is wrong with it, if it has to be aborted now.
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

    /// How much longer the client may be waited for before ``failure(at:)`` has to be asked; `nil` while it is not waited for.
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
