import Foundation

/// The JSON format between services: keys as the types define them, times in RFC 3339 with milliseconds, keys sorted.
public enum WireJSON {
    /// - Throws: `EncodingError`, for numbers that are not finite.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Timestamp.format(date))
        }
        return Array(try encoder.encode(value))
    }

    /// - Throws: `DecodingError`. Nesting is not bounded: see ``JSONNesting`` for bytes of others.
    public static func decode<T: Decodable>(_ type: T.Type, from bytes: some Sequence<UInt8>) throws -> T {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let date = Timestamp.parse(text) else {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not RFC 3339"))
            }
            return date
        }
        return try decoder.decode(type, from: Data(bytes))
    }
}
