/// How long a withdrawal keeps what its device had sent before from being recorded.
///
/// Nothing that is left of a withdrawn capture tells which upload it was made of. A device may have sent that upload before, without an
/// answer, and a gateway may still have the first request in hand. So nothing new is recorded of a request that had begun when its device
/// withdrew a capture, whichever that was: it is sent again.
enum WithdrawalWindow {
    /// How long a request may be on its way before a gateway sees that it has begun.
    static let arrival: Duration = .seconds(5)

    /// - Parameter begun: when the gateway saw the request's head.
    /// - Returns: how long ago the window began, in seconds.
    static func seconds(since begun: ContinuousClock.Instant) -> Double { (begun.duration(to: .now) + arrival) / .seconds(1) }
}
