import CaptureProtocol
import Foundation

/// Times in HTTP headers.
enum HTTPDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Reads the one form that servers may write, IMF-fixdate: "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 §5.6.7).
    /// - Returns: `nil` for anything else, such as a day that does not exist or has another name.
    static func parse(_ text: String) -> Date? {
        let fields = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count == 29, fields.count == 6, fields[5] == "GMT", let month = months.firstIndex(of: String(fields[2])),
            fields[1].utf8.count == 2, fields[3].utf8.count == 4, fields[4].utf8.count == 8
        else { return nil }
        let day = "\(fields[3])-\(month < 9 ? "0" : "")\(month + 1)-\(fields[1])"
        guard let midnight = Timestamp.parse("\(day)T00:00:00Z"), let time = Timestamp.parse("\(day)T\(fields[4])Z") else { return nil }
        // The first of January 1970 was a Thursday.
        let weekday = Int((midnight.timeIntervalSince1970 / 86_400).truncatingRemainder(dividingBy: 7) + 7) % 7
        return fields[0] == "\(weekdays[weekday])," ? time : nil
    }
}
