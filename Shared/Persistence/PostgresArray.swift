public import Foundation

/// A type whose arrays can be bound: `[UInt8]` is `bytea`, the others are one-dimensional arrays.
public protocol PostgresArrayElement: Sendable {
    static var postgresArrayType: UInt32 { get }
    static func postgresBytes(ofArray array: [Self]) -> [UInt8]
    /// - Parameter text: a whole column in PostgreSQL's text format.
    /// - Returns: `nil` if it is not an array of this type.
    static func array(fromPostgresText text: ArraySlice<UInt8>) -> [Self]?
}

extension Array: PostgresBindable where Element: PostgresArrayElement {
    public static var postgresType: UInt32 { Element.postgresArrayType }
    public var postgresBytes: [UInt8]? { Element.postgresBytes(ofArray: self) }
}

extension Array: PostgresDecodable where Element: PostgresArrayElement {
    public static func decode(postgresText text: ArraySlice<UInt8>) -> [Element]? { Element.array(fromPostgresText: text) }
}

extension PostgresArrayElement where Self: PostgresBindable & PostgresDecodable {
    /// `array_send` in PostgreSQL's `arrayfuncs.c`: number of dimensions, null flag, element type; length and lower bound of the
    /// dimension; then each element, preceded by its length.
    public static func postgresBytes(ofArray array: [Self]) -> [UInt8] {
        var bytes = bigEndianBytes(Int32(array.isEmpty ? 0 : 1)) + bigEndianBytes(Int32(0)) + bigEndianBytes(postgresType)
        guard !array.isEmpty else { return bytes }
        bytes += bigEndianBytes(Int32(clamping: array.count)) + bigEndianBytes(Int32(1))
        for element in array {
            let value = element.postgresBytes ?? []
            bytes += bigEndianBytes(Int32(clamping: value.count)) + value
        }
        return bytes
    }

    /// `nil` also for an array that contains NULL.
    public static func array(fromPostgresText text: ArraySlice<UInt8>) -> [Self]? {
        var reader = ArrayTextReader(text: text)
        guard let elements = reader.elements() else { return nil }
        var values: [Self] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            guard let element, let value = Self.decode(postgresText: element[...]) else { return nil }
            values.append(value)
        }
        return values
    }
}

extension String: PostgresArrayElement { public static var postgresArrayType: UInt32 { TypeID.textArray } }
extension UUID: PostgresArrayElement { public static var postgresArrayType: UInt32 { TypeID.uuidArray } }
extension Int64: PostgresArrayElement { public static var postgresArrayType: UInt32 { TypeID.int8Array } }
extension Array: PostgresArrayElement where Element == UInt8 {
    public static var postgresArrayType: UInt32 { TypeID.byteaArray }
}

extension UInt8: PostgresArrayElement {
    public static var postgresArrayType: UInt32 { TypeID.bytea }
    public static func postgresBytes(ofArray array: [UInt8]) -> [UInt8] { array }
    public static func array(fromPostgresText text: ArraySlice<UInt8>) -> [UInt8]? { decodeByteaHex(text) }
}

/// Reads `{a,"b \"c\"",NULL}`, a one-dimensional array in PostgreSQL's text format (manual §8.15.6).
private struct ArrayTextReader {
    let text: ArraySlice<UInt8>
    var index: Int

    init(text: ArraySlice<UInt8>) {
        self.text = text
        index = text.startIndex
    }

    private var current: UInt8? { index < text.endIndex ? text[index] : nil }

    /// The elements' bytes, with `nil` for NULL; `nil` altogether if the text is not such an array.
    mutating func elements() -> [[UInt8]?]? {
        guard current == UInt8(ascii: "{") else { return nil }
        index += 1
        var elements: [[UInt8]?] = []
        if current == UInt8(ascii: "}") { return index + 1 == text.endIndex ? elements : nil }
        while let first = current {
            if first == UInt8(ascii: "\"") {
                guard let element = quoted() else { return nil }
                elements.append(element)
            } else {
                let start = index
                while let unit = current, unit != UInt8(ascii: ","), unit != UInt8(ascii: "}") {
                    guard unit != UInt8(ascii: "{") else { return nil }
                    index += 1
                }
                let element = Array(text[start..<index])
                elements.append(element == Array("NULL".utf8) ? .none : element)
            }
            guard let separator = current else { return nil }
            index += 1
            if separator == UInt8(ascii: "}") { return index == text.endIndex ? elements : nil }
            guard separator == UInt8(ascii: ",") else { return nil }
        }
        return nil
    }

    private mutating func quoted() -> [UInt8]? {
        var element: [UInt8] = []
        index += 1
        while let unit = current {
            index += 1
            if unit == UInt8(ascii: "\"") { return element }
            if unit == UInt8(ascii: "\\") {
                guard let escaped = current else { return nil }
                element.append(escaped)
                index += 1
            } else {
                element.append(unit)
            }
        }
        return nil
    }
}
