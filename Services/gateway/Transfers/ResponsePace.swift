import NIOCore

/// Enforces the minimum rate at which a client reads a response, so that slow readers do not hold connections to the store for long.
///
/// Only windows count that begin and end with bytes waiting to be sent, so that a response that is still being produced, or an event stream
/// without events, is not slow. Pure state: the caller passes the numbers.
struct ResponsePace {
    static let window = TimeAmount.seconds(10)
    /// The bytes that must be sent in a window.
    static let leastBytes = 50_000

    private var waiting = 0
    private var written = 0

    /// More bytes were written to the connection.
    mutating func write(_ bytes: Int) { written += bytes }

    /// Ends a window and starts the next.
    /// - Parameter now: bytes written to the connection that the client has not taken yet.
    /// - Returns: whether the client read less than ``leastBytes``.
    mutating func isTooSlow(waiting now: Int) -> Bool {
        defer {
            waiting = now
            written = 0
        }
        guard waiting > 0, now > 0 else { return false }
        return waiting + written - now < Self.leastBytes
    }
}
