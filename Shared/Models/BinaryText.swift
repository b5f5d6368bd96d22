import Foundation

/// Hexadecimal text (RFC 4648 §8).
public enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Lower-case digits, two a byte.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil` for an odd count or anything but hex digits of either case.
    public static func decode(_ text: String) -> [UInt8]? {
        let source = Array(text.utf8)
        guard source.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count / 2)
        for index in stride(from: 0, to: source.count, by: 2) {
            guard let high = value(source[index]), let low = value(source[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x61 + 10
        case 0x41...0x46: digit - 0x41 + 10
        default: nil
        }
    }
}

/// Base64 text as clients send it: standard or URL-safe, padded or not (RFC 4648 §4, §5).
public enum Base64 {
    /// Standard alphabet with padding.
    public static func encode(_ bytes: some Collection<UInt8>) -> String { Data(bytes).base64EncodedString() }

    /// `nil` for any other character, white space included, and for an impossible length.
    public static func decode(_ text: String) -> [UInt8]? {
        var standard: [UInt8] = []
        standard.reserveCapacity(text.utf8.count + 3)
        for unit in text.utf8 {
            switch unit {
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            default: standard.append(unit)
            }
        }
        while standard.last == UInt8(ascii: "=") { standard.removeLast() }
        guard standard.count % 4 != 1, !standard.contains(UInt8(ascii: "=")) else { return nil }
        standard.append(contentsOf: Array(repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4))
        return Data(base64Encoded: Data(standard)).map(Array.init)
    }
}

/// Bytes that travel as base64 text inside JSON.
public struct Base64Bytes: Hashable, Sendable, Codable {
    public let bytes: [UInt8]
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let bytes = Base64.decode(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not base64"))
        }
        self.bytes = bytes
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Base64.encode(bytes))
    }
}
