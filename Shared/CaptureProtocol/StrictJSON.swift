/// Untrusted JSON, read strictly (RFC 8259, UTF-8 only).
///
/// Unlike Foundation's reader it bounds nesting and combining marks, rejects duplicate names, and never reads `true` as a number.
public enum StrictJSON: Sendable, Equatable {
    case null
    case bool(Bool)
    /// The nearest `Double`; infinite if the number is too large for one.
    case number(Double)
    case string(String)
    case array([StrictJSON])
    case object([String: StrictJSON])

    /// The maximum nesting of objects and arrays.
    public static let maximumDepth = 32
    /// The maximum of combining marks in a row (UAX #15, "Stream-Safe Text Format"). `String` puts them in order to compare or hash a text,
    /// in quadratic time: with 64 KiB of them that takes a second.
    public static let maximumMarks = 30

    /// What is wrong with the whole text.
    public enum Failure: Error, Equatable {
        case malformed
        case tooDeep
        case duplicateName(String)
    }

    /// Reads a whole text.
    /// - Throws: ``Failure``.
    public init(_ bytes: [UInt8]) throws(Failure) {
        var parser = Parser(bytes: bytes)
        self = try parser.document()
    }
}

extension StrictJSON {
    /// A recursive-descent parser, at most ``maximumDepth`` calls deep.
    private struct Parser {
        let bytes: [UInt8]
        var index = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func document() throws(Failure) -> StrictJSON {
            let value = try value(depth: 0)
            skipSpace()
            guard index == bytes.count else { throw .malformed }
            return value
        }

        private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

        private mutating func skipSpace() {
            while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { index += 1 }
        }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard let byte = current, UInt32(byte) == character.value else { return false }
            index += 1
            return true
        }

        private mutating func value(depth: Int) throws(Failure) -> StrictJSON {
            skipSpace()
            switch current {
            case UInt8(ascii: "{"): return try object(depth: depth + 1)
            case UInt8(ascii: "["): return try array(depth: depth + 1)
            case UInt8(ascii: "\""): return .string(try string())
            case UInt8(ascii: "t"): return try word("true", .bool(true))
            case UInt8(ascii: "f"): return try word("false", .bool(false))
            case UInt8(ascii: "n"): return try word("null", .null)
            default: return .number(try number())
            }
        }

        private mutating func word(_ word: StaticString, _ value: StrictJSON) throws(Failure) -> StrictJSON {
            let end = index + word.utf8CodeUnitCount
            let matches = word.withUTF8Buffer { end <= bytes.count && $0.elementsEqual(bytes[index..<end]) }
            guard matches else { throw .malformed }
            index = end
            return value
        }

        private mutating func array(depth: Int) throws(Failure) -> StrictJSON {
            guard depth <= StrictJSON.maximumDepth else { throw .tooDeep }
            index += 1
            var elements: [StrictJSON] = []
            skipSpace()
            if take("]") { return .array([]) }
            while true {
                elements.append(try value(depth: depth))
                skipSpace()
                if take("]") { return .array(elements) }
                guard take(",") else { throw .malformed }
            }
        }

        private mutating func object(depth: Int) throws(Failure) -> StrictJSON {
            guard depth <= StrictJSON.maximumDepth else { throw .tooDeep }
            index += 1
            var members: [String: StrictJSON] = [:]
            skipSpace()
            if take("}") { return .object([:]) }
            while true {
                skipSpace()
                let name = try string()
                skipSpace()
                guard take(":") else { throw .malformed }
                let member = try value(depth: depth)
                guard members.updateValue(member, forKey: name) == nil else { throw .duplicateName(name) }
                skipSpace()
                if take("}") { return .object(members) }
                guard take(",") else { throw .malformed }
            }
        }

        private mutating func string() throws(Failure) -> String {
            guard take("\"") else { throw .malformed }
            var text: [UInt8] = []
            while let byte = current {
                index += 1
                switch byte {
                case UInt8(ascii: "\""):
                    guard let string = String(validating: text, as: UTF8.self), !Self.hasTooManyMarks(string) else { throw .malformed }
                    return string
                case UInt8(ascii: "\\"): text.append(contentsOf: String(try escape()).utf8)
                case 0..<0x20: throw .malformed
                default: text.append(byte)
                }
            }
            throw .malformed
        }

        private static func hasTooManyMarks(_ text: String) -> Bool {
            guard text.utf8.contains(where: { $0 >= 0x80 }) else { return false }
            var marks = 0
            for scalar in text.unicodeScalars {
                switch scalar.properties.generalCategory {
                case .nonspacingMark, .spacingMark, .enclosingMark: marks += 1
                default: marks = 0
                }
                if marks > StrictJSON.maximumMarks { return true }
            }
            return false
        }

        /// Parses what follows the backslash. A lone surrogate becomes U+FFFD.
        private mutating func escape() throws(Failure) -> Unicode.Scalar {
            guard let byte = current else { throw .malformed }
            index += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
            case UInt8(ascii: "b"): return "\u{8}"
            case UInt8(ascii: "f"): return "\u{c}"
            case UInt8(ascii: "n"): return "\n"
            case UInt8(ascii: "r"): return "\r"
            case UInt8(ascii: "t"): return "\t"
            case UInt8(ascii: "u"): return try unicodeEscape()
            default: throw .malformed
            }
        }

        private mutating func unicodeEscape() throws(Failure) -> Unicode.Scalar {
            let first = try hexQuad()
            if let scalar = Unicode.Scalar(first) { return scalar }
            let mark = index
            guard first < 0xdc00, take("\\"), take("u") else {
                index = mark
                return "\u{fffd}"
            }
            let second = try hexQuad()
            guard (0xdc00...0xdfff).contains(second) else {
                index = mark
                return "\u{fffd}"
            }
            return Unicode.Scalar(0x1_0000 + (first - 0xd800) << 10 + (second - 0xdc00)) ?? "\u{fffd}"
        }

        private mutating func hexQuad() throws(Failure) -> UInt32 {
            guard index + 4 <= bytes.count, let pair = Hex.decode(String(decoding: bytes[index..<index + 4], as: UTF8.self)),
                pair.count == 2
            else { throw .malformed }
            index += 4
            return UInt32(pair[0]) << 8 | UInt32(pair[1])
        }

        private mutating func digits() -> Int {
            let start = index
            while let byte = current, (0x30...0x39).contains(byte) { index += 1 }
            return index - start
        }

        private mutating func number() throws(Failure) -> Double {
            let start = index
            _ = take("-")
            let hasLeadingZero = current == UInt8(ascii: "0")
            let whole = digits()
            guard whole == 1 || (whole > 1 && !hasLeadingZero) else { throw .malformed }
            if take(".") { guard digits() > 0 else { throw .malformed } }
            if take("e") || take("E") {
                if !take("+") { _ = take("-") }
                guard digits() > 0 else { throw .malformed }
            }
            // The grammar has been checked, so this fails only for a number out of range.
            return Double(String(decoding: bytes[start..<index], as: UTF8.self)) ?? .infinity
        }
    }
}

extension StrictJSON: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value):
            if let whole = Int64(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}
