/// JSON in the form of RFC 8785, restricted to objects, ASCII strings and integers from 0 (SPEC §14 "Statement and leaf").
///
/// Every value has one spelling, and what is spelt otherwise is refused: so digests of statements need no rule for reading them again.
enum CanonicalJSON: Sendable, Equatable {
    /// ASCII alone, so that equality and order are those of the bytes.
    case string(String)
    case integer(Int)
    case object([String: CanonicalJSON])

    /// RFC 8785 writes numbers as doubles: up to 2⁵³ − 1 every integer has a double of its own.
    static let largestInteger = 9_007_199_254_740_991
    static let maximumDepth = 4

    /// - Throws: ``BundleError`` with the code `json`, for anything that ``encoded`` would not have written.
    init(_ bytes: [UInt8]) throws(BundleError) {
        var parser = Parser(bytes: bytes)
        let value = try parser.document()
        // Names out of order, and escapes of characters that need none.
        guard value.encoded == bytes else { throw Self.malformed }
        self = value
    }

    /// The one spelling: no white space, names in the order of their bytes.
    var encoded: [UInt8] {
        var output: [UInt8] = []
        write(to: &output)
        return output
    }

    private static var malformed: BundleError { BundleError(.json, "is not JSON in the canonical form") }

    private func write(to output: inout [UInt8]) {
        switch self {
        case .string(let text): Self.write(text, to: &output)
        case .integer(let value): output += String(value).utf8
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (index, member) in sorted.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.write(member.key, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// RFC 8785 §3.2.2.2.
    private static func write(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for unit in text.utf8 {
            switch unit {
            case 0x08: output += "\\b".utf8
            case 0x09: output += "\\t".utf8
            case 0x0a: output += "\\n".utf8
            case 0x0c: output += "\\f".utf8
            case 0x0d: output += "\\r".utf8
            case 0x22: output += "\\\"".utf8
            case 0x5c: output += "\\\\".utf8
            case 0..<0x20: output += "\\u00\(unit < 16 ? "0" : "1")\(String(unit & 15, radix: 16))".utf8
            default: output.append(unit)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}

extension CanonicalJSON {
    /// A recursive-descent parser, at most ``maximumDepth`` calls deep.
    private struct Parser {
        let bytes: [UInt8]
        var index = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func document() throws(BundleError) -> CanonicalJSON {
            let value = try value(depth: 0)
            guard index == bytes.count else { throw CanonicalJSON.malformed }
            return value
        }

        private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard let byte = current, UInt32(byte) == character.value else { return false }
            index += 1
            return true
        }

        private mutating func value(depth: Int) throws(BundleError) -> CanonicalJSON {
            switch current {
            case UInt8(ascii: "{"): return .object(try members(depth: depth + 1))
            case UInt8(ascii: "\""): return .string(try string())
            default: return .integer(try integer())
            }
        }

        private mutating func members(depth: Int) throws(BundleError) -> [String: CanonicalJSON] {
            guard depth <= CanonicalJSON.maximumDepth else { throw CanonicalJSON.malformed }
            index += 1
            var members: [String: CanonicalJSON] = [:]
            if take("}") { return members }
            while true {
                let name = try string()
                guard take(":") else { throw CanonicalJSON.malformed }
                let member = try value(depth: depth)
                guard members.updateValue(member, forKey: name) == nil else { throw CanonicalJSON.malformed }
                if take("}") { return members }
                guard take(",") else { throw CanonicalJSON.malformed }
            }
        }

        private mutating func string() throws(BundleError) -> String {
            guard take("\"") else { throw CanonicalJSON.malformed }
            var text: [UInt8] = []
            while let byte = current {
                index += 1
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
                case UInt8(ascii: "\\"): text.append(try escape())
                case 0x20..<0x80: text.append(byte)
                default: throw CanonicalJSON.malformed
                }
            }
            throw CanonicalJSON.malformed
        }

        /// What follows the backslash. Escapes that the writer does not make fail the comparison later.
        private mutating func escape() throws(BundleError) -> UInt8 {
            guard let byte = current else { throw CanonicalJSON.malformed }
            index += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): return byte
            case UInt8(ascii: "b"): return 0x08
            case UInt8(ascii: "t"): return 0x09
            case UInt8(ascii: "n"): return 0x0a
            case UInt8(ascii: "f"): return 0x0c
            case UInt8(ascii: "r"): return 0x0d
            case UInt8(ascii: "u"):
                guard take("0"), take("0"), let high = hexDigit(), high < 2, let low = hexDigit() else { throw CanonicalJSON.malformed }
                return high << 4 | low
            default: throw CanonicalJSON.malformed
            }
        }

        private mutating func hexDigit() -> UInt8? {
            guard let byte = current else { return nil }
            index += 1
            switch byte {
            case 0x30...0x39: return byte - 0x30
            case 0x61...0x66: return byte - 0x61 + 10
            default: return nil
            }
        }

        private mutating func integer() throws(BundleError) -> Int {
            let start = index
            var value = 0
            while let byte = current, (0x30...0x39).contains(byte) {
                value = value * 10 + Int(byte - 0x30)
                // 16 digits, far from an overflow.
                guard value <= CanonicalJSON.largestInteger else { throw CanonicalJSON.malformed }
                index += 1
            }
            guard index > start else { throw CanonicalJSON.malformed }
            return value
        }
    }
}
