public import Foundation

/// A value that can be read from a column, which arrives in PostgreSQL's text format.
public protocol PostgresDecodable: Sendable {
    /// - Parameter text: the column, not NULL, under the session settings of ``PostgresConnection``.
    /// - Returns: `nil` if the text is not such a value.
    static func decode(postgresText text: ArraySlice<UInt8>) -> Self?
}

extension String: PostgresDecodable {
    public static func decode(postgresText text: ArraySlice<UInt8>) -> String? { String(decoding: text, as: UTF8.self) }
}

extension Bool: PostgresDecodable {
    public static func decode(postgresText text: ArraySlice<UInt8>) -> Bool? {
        guard text.count == 1 else { return nil }
        switch text.first {
        case UInt8(ascii: "t"): return true
        case UInt8(ascii: "f"): return false
        default: return nil
        }
    }
}

extension FixedWidthInteger {
    /// Decimal digits with an optional sign; `nil` if it does not fit.
    static func decodeDecimal(_ text: ArraySlice<UInt8>) -> Self? { Self(String(decoding: text, as: UTF8.self), radix: 10) }
}

extension Int: PostgresDecodable {
    public static func decode(postgresText text: ArraySlice<UInt8>) -> Int? { decodeDecimal(text) }
}

extension Int32: PostgresDecodable {
    public static func decode(postgresText text: ArraySlice<UInt8>) -> Int32? { decodeDecimal(text) }
}

extension Int64: PostgresDecodable {
    public static func decode(postgresText text: ArraySlice<UInt8>) -> Int64? { decodeDecimal(text) }
}

extension UInt32: PostgresDecodable {
    public static func decode(postgresText text: ArraySlice<UInt8>) -> UInt32? { decodeDecimal(text) }
}

extension Double: PostgresDecodable {
    /// Reads `numeric` too, as the nearest double.
    public static func decode(postgresText text: ArraySlice<UInt8>) -> Double? { Double(String(decoding: text, as: UTF8.self)) }
}

extension UUID: PostgresDecodable {
    public static func decode(postgresText text: ArraySlice<UInt8>) -> UUID? {
        UUID(uuidString: String(decoding: text, as: UTF8.self))
    }
}

extension Data: PostgresDecodable {
    public static func decode(postgresText text: ArraySlice<UInt8>) -> Data? { decodeByteaHex(text).map { Data($0) } }
}

/// Reads `\x0123…`, `bytea` as `bytea_output = hex` writes it.
func decodeByteaHex(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count >= 2, text.count.isMultiple(of: 2), text.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "x")]) else {
        return nil
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2 - 1)
    var index = text.startIndex + 2
    while index < text.endIndex {
        guard let high = hexDigit(text[index]), let low = hexDigit(text[index + 1]) else { return nil }
        bytes.append(high << 4 | low)
        index += 2
    }
    return bytes
}

private func hexDigit(_ unit: UInt8) -> UInt8? {
    switch unit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): unit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): unit - UInt8(ascii: "a") + 10
    default: nil
    }
}
