public import Foundation

/// RFC 3339 times, read with any offset and fraction, written in UTC with milliseconds.
public enum Timestamp {
    /// "2026-11-21T07:00:00.000Z", to the nearest millisecond, in the proleptic Gregorian calendar; years are clamped to 0 to 9999,
    /// and what is no number is written as 1970. Foundation's formatter uses the Julian calendar before 1582, and truncates.
    public static func format(_ date: Date) -> String {
        let rounded = (date.timeIntervalSince1970 * 1000).rounded()
        let milliseconds = rounded.isNaN ? 0 : Int64(min(max(rounded, -62_167_219_200_000), 253_402_300_799_999))
        let (days, ofDay) = (Int(milliseconds).floored(by: 86_400_000), Int(milliseconds).positiveRemainder(86_400_000))
        let (year, month, day) = civil(daysSince1970: days)
        let (seconds, fraction) = (ofDay / 1000, ofDay % 1000)
        func digits(_ value: Int, _ width: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T\(digits(seconds / 3600, 2)):\(digits(seconds / 60 % 60, 2)):"
            + "\(digits(seconds % 60, 2)).\(digits(fraction, 3))Z"
    }

    /// The day in UTC, "2026-11-21"; years are clamped as in ``format(_:)``.
    public static func formatDay(_ date: Date) -> String { String(format(startOfDay(date)).prefix(10)) }

    /// The first moment of the day in UTC. A moment within half a millisecond before midnight belongs to the day that ends.
    public static func startOfDay(_ date: Date) -> Date {
        Date(timeIntervalSince1970: (date.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400)
    }

    /// Reads RFC 3339's `full-date` as the first moment of that day in UTC.
    public static func parseDay(_ text: String) -> Date? { text.utf8.count == 10 ? parse(text + "T00:00:00Z") : nil }

    /// The inverse of ``daysFromCivil(year:month:day:)``.
    static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        // Eras of 400 years that begin on the first of March.
        let shifted = days + 719_468
        let era = shifted.floored(by: 146_097)
        let dayOfEra = shifted.positiveRemainder(146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// Reads RFC 3339 §5.6: date, "T" (or "t"), time, optional fraction, "Z" or a numeric offset. A leap second reads as the next
    /// second; anything else, such as a day that does not exist, is `nil`.
    public static func parse(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.count <= 40 else { return nil }
        var reader = DigitReader(bytes: bytes)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T") || reader.skip("t"), let hour = reader.number(2), reader.skip(":"),
            let minute = reader.number(2), reader.skip(":"), let second = reader.number(2),
            (1...12).contains(month), (1...daysIn(month: month, year: year)).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction = 0.0
        if reader.skip(".") {
            guard let value = reader.fraction() else { return nil }
            fraction = value
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        let days = daysFromCivil(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        // Years 1 to 9999, the range of ``format(_:)``.
        guard (-62_135_596_800...253_402_300_799).contains(seconds) else { return nil }
        // This would be rounded up into the year 10000.
        guard seconds < 253_402_300_799 || fraction < 0.9995 else { return nil }
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    /// Days since 1970-01-01 in the proleptic Gregorian calendar.
    static func daysFromCivil(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func daysIn(month: Int, year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int {
    /// Division that rounds towards minus infinity.
    fileprivate func floored(by divisor: Int) -> Int { (self - positiveRemainder(divisor)) / divisor }
    fileprivate func positiveRemainder(_ divisor: Int) -> Int { (self % divisor + divisor) % divisor }
}

/// Reads fixed-width decimal fields from ASCII.
private struct DigitReader {
    let bytes: [UInt8]
    var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    mutating func number(_ width: Int) -> Int? {
        guard index + width <= bytes.count else { return nil }
        var value = 0
        for unit in bytes[index..<index + width] {
            guard (0x30...0x39).contains(unit) else { return nil }
            value = value * 10 + Int(unit - 0x30)
        }
        index += width
        return value
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, UInt32(bytes[index]) == character.value else { return false }
        index += 1
        return true
    }

    mutating func fraction() -> Double? {
        var value = 0.0
        var scale = 0.1
        let start = index
        while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
            value += Double(bytes[index] - 0x30) * scale
            scale /= 10
            index += 1
        }
        return index > start ? value : nil
    }

    /// Seconds east of UTC.
    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
