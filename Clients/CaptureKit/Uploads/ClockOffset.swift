public import Foundation

/// How much the server's clock is ahead of the device's, which may be wrong. Requests are signed with the server's time.
public struct ClockOffset: Sendable, Equatable, Codable {
    /// The server's time less the device's; to the second, since the server tells no more.
    public let seconds: TimeInterval

    /// The device's clock is taken to be right.
    public static let none = ClockOffset(seconds: 0)

    public init(seconds: TimeInterval) { self.seconds = seconds }

    /// - Parameters:
    ///   - dateHeader: the `Date` of a response (RFC 9110 §6.6.1).
    ///   - deviceTime: what the device's clock said when the response came.
    /// - Returns: `nil` if the header is not an IMF-fixdate.
    public init?(dateHeader: String, deviceTime: Date) {
        guard let serverTime = HTTPDate.parse(dateHeader) else { return nil }
        seconds = serverTime.timeIntervalSince(deviceTime).rounded()
    }

    /// The server's time when the device's clock says `deviceTime`.
    public func serverTime(at deviceTime: Date) -> Date { deviceTime.addingTimeInterval(seconds) }
}
