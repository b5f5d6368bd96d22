import NIOCore

/// How fast a response has to be taken: who reads nothing holds no connection to the store for long.
///
/// Only windows count at whose begin and end something waited to be sent, so that a response that is still being made, or an event stream
/// without events, is not slow. Decides and is told the numbers.
struct ResponsePace {
    static let window = TimeAmount.seconds(10)
    /// What has to leave in a window.
    static let leastBytes = 50_000

    private var waiting = 0
    private var written = 0

    /// More was given to the connection.
    mutating func write(_ bytes: Int) { written += bytes }

    /// Ends a window.
    /// - Parameter waiting: bytes that the connection has been given and the client's side has not taken.
    /// - Returns: whether the client takes too little.
    mutating func isTooSlow(waiting now: Int) -> Bool {
        defer {
            waiting = now
            written = 0
        }
        guard waiting > 0, now > 0 else { return false }
        return waiting + written - now < Self.leastBytes
    }
}
