import Foundation

/// A `jsonb` value as bytes. Keys are encoded as the types' coding keys spell them, times in RFC 3339 with milliseconds.
public struct PostgresJSON: Sendable, PostgresBindable, PostgresDecodable {
    /// JSON text, UTF-8.
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Throws: `EncodingError`, or another error of the value's own encoding.
    public init(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            // The formatter truncates; adding half a millisecond makes it round.
            try container.encode(date.addingTimeInterval(0.0005).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
        bytes = Array(try encoder.encode(value))
    }

    /// Reads times with or without fractions of a second.
    /// - Throws: ``PostgresError`` with `decoding`.
    public func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            if let date = try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) { return date }
            return try Date(text, strategy: .iso8601)
        }
        do {
            return try decoder.decode(type, from: Data(bytes))
        } catch {
            throw PostgresError(code: .decoding, message: "the JSON is not a \(T.self)", cause: error)
        }
    }

    public static var postgresType: UInt32 { TypeID.jsonb }

    /// `jsonb_send`: version 1, then the text.
    public var postgresBytes: [UInt8]? { [1] + bytes }

    public static func decode(postgresText text: ArraySlice<UInt8>) -> PostgresJSON? { PostgresJSON(Array(text)) }
}
