import Foundation

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
