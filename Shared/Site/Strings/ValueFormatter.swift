import CaptureProtocol
import Foundation

/// Formats dates, numbers and durations for a language.
struct ValueFormatter: Sendable {
    let strings: StringTable

    /// "22 November 2025".
    func day(_ date: Date) -> String {
        var style = Date.FormatStyle(date: .long, time: .omitted, locale: strings.language.locale)
        style.timeZone = .gmt
        style.calendar = Calendar(identifier: .gregorian)
        return date.formatted(style)
    }

    /// "22 November 2025, 10:30:04 UTC".
    func second(_ date: Date) -> String { "\(day(date)), \(clock(date, 8)) UTC" }

    /// "22 November 2025, 10:30 UTC".
    func minute(_ date: Date) -> String { "\(day(date)), \(clock(date, 5)) UTC" }

    /// To the second if it is shared exactly, else the day; `nil` if it is not shared.
    func second(_ time: SharedTime) -> String? { text(time, second) }

    /// To the minute if it is shared exactly, else the day; `nil` if it is not shared.
    func minute(_ time: SharedTime) -> String? { text(time, minute) }

    private func text(_ time: SharedTime, _ exactly: (Date) -> String) -> String? {
        time.date.map { time.precision == .exact ? exactly($0) : day($0) }
    }

    /// "2025-11-22T10:30:04Z".
    static func iso(_ date: Date) -> String { "\(Timestamp.format(date.wholeSecond).prefix(19))Z" }

    /// "2025-11-22".
    static func isoDay(_ date: Date) -> String { String(Timestamp.format(date).prefix(10)) }

    private func clock(_ date: Date, _ length: Int) -> String {
        String(Timestamp.format(date.wholeSecond).dropFirst(11).prefix(length))
    }

    /// At most `digits` decimals, without trailing zeros.
    func number(_ value: Double, digits: Int) -> String {
        value.formatted(.number.precision(.fractionLength(0...digits)).locale(strings.language.locale))
    }

    /// Metres with two digits: "0.42", "3.6", "12".
    func metres(_ value: Double) -> String {
        value.formatted(.number.precision(.significantDigits(1...2)).locale(strings.language.locale))
    }

    /// A share of 0...1 in per cent, without the sign, see ``percent(_:)``.
    func percentage(_ share: Double) -> String { number(Self.percent(share), digits: 1) }

    /// Per cents that the pages call a threshold, and all of it.
    private static let thresholds: Set<Double> = [10, 20, 50, 80, 90, 100]

    /// A share of 0...1 in whole per cent; in tenths if it would seem to be just at a threshold that it is below or above.
    static func percent(_ share: Double) -> Double {
        let whole = (share * 100).rounded()
        guard thresholds.contains(whole), share != whole / 100 else { return whole }
        let isAbove = share > whole / 100
        let tenths = (share * 1000).rounded()
        return (isAbove ? max(tenths, whole * 10 + 1) : min(tenths, whole * 10 - 1)) / 10
    }

    /// Two shares of 0...1 and their sum, each in per cent without the sign: the two in tenths if they would not seem to be the sum.
    func percentages(_ one: Double, _ other: Double) -> (String, String) {
        let fits = abs(Self.percent(one) + Self.percent(other) - Self.percent(one + other)) < 0.05
        return fits ? (percentage(one), percentage(other)) : (number(one * 100, digits: 1), number(other * 100, digits: 1))
    }

    /// "3.4 MB", "18 kB".
    func size(_ bytes: Int64) -> String {
        bytes < 1_000_000
            ? "\(number(max(Double(bytes) / 1e3, 1).rounded(), digits: 0)) kB"
            : "\(number(Double(bytes) / 1e6, digits: bytes < 10_000_000 ? 1 : 0)) MB"
    }

    /// "2 seconds", "3 hours": in the largest unit of which the duration has at least two, or exactly one; negative durations count as
    /// zero.
    func span(_ seconds: TimeInterval) -> String {
        let whole = Int(min(max(seconds, 0), 1e11).rounded())
        switch whole {
        case ..<120: return whole == 60 ? count(1, "span.minute") : count(whole, "span.second")
        case ..<7200: return whole == 3600 ? count(1, "span.hour") : count(whole / 60, "span.minute")
        case ..<172_800: return whole == 86_400 ? count(1, "span.day") : count(whole / 3600, "span.hour")
        default: return count(whole / 86_400, "span.day")
        }
    }

    private func count(_ number: Int, _ key: String) -> String {
        number == 1 ? strings(key + ".one") : strings(key, ["n": self.number(Double(number), digits: 0)])
    }
}

extension Date {
    fileprivate var wholeSecond: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}
