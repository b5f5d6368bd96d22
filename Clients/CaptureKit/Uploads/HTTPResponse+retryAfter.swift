import Foundation

extension HTTPResponse {
    /// The time that the server asks to wait (`Retry-After`, RFC 9110 §10.2.3): seconds, or a time by the server's clock. At most a day.
    /// - Parameter now: the device's time, used if the response does not tell the server's.
    /// - Returns: `nil` if there is no such header, or it cannot be read.
    func retryAfter(at now: Date) -> Duration? {
        guard let text = headers["retry-after"], !text.isEmpty else { return nil }
        let day = 86_400
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return .seconds(min(Int(text) ?? day, day)) }
        guard let time = HTTPDate.parse(text) else { return nil }
        let serverTime = headers["date"].flatMap(HTTPDate.parse) ?? now
        return .seconds(Int(min(max(time.timeIntervalSince(serverTime), 0), Double(day)).rounded(.up)))
    }
}
