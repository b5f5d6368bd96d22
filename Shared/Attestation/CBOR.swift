/// One data item of the strict subset of CBOR (RFC 8949 §4.2) that App Attest objects use.
///
/// Definite and minimal lengths, no tags, floats or duplicate keys, valid UTF-8, texts of at most 256 bytes, at most eight levels.
public indirect enum CBOR: Sendable, Hashable {
    case unsigned(UInt64)
    /// The value is -1 - n.
    case negative(UInt64)
    case bytes(ArraySlice<UInt8>)
    case text(String)
    case array([CBOR])
    case map([CBOR: CBOR])
    case bool(Bool)
    case null

    /// Reads exactly one item.
    /// - Throws: ``CBORError`` for anything outside the subset, trailing bytes included.
    public static func decode(_ bytes: ArraySlice<UInt8>) throws(CBORError) -> CBOR {
        var reader = CBORReader(bytes)
        let item = try reader.item()
        guard reader.isAtEnd else { throw .trailingBytes }
        return item
    }

    /// The value of a text key in a map; `nil` for anything else.
    public subscript(key: String) -> CBOR? {
        guard case .map(let pairs) = self else { return nil }
        return pairs[.text(key)]
    }

    public var byteString: ArraySlice<UInt8>? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    public var textString: String? {
        if case .text(let text) = self { text } else { nil }
    }
}

/// Why bytes are not in the strict subset of CBOR.
public enum CBORError: Error, Sendable {
    case truncated, trailingBytes, indefiniteLength, notMinimal, unsupported, tooDeep, duplicateKey, invalidText
}

/// Reads items one after the other. A declared length never makes it allocate.
struct CBORReader {
    static let maximumDepth = 8
    /// Comparing a text may take time in the square of its length: `String` puts combining marks in a row in order.
    static let maximumTextBytes = 256
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    mutating func item(depth: Int = 0) throws(CBORError) -> CBOR {
        guard depth < Self.maximumDepth else { throw .tooDeep }
        let (major, argument) = try head()
        switch major {
        case 0: return .unsigned(argument)
        case 1: return .negative(argument)
        case 2: return .bytes(try take(argument))
        case 3:
            guard argument <= Self.maximumTextBytes else { throw .unsupported }
            guard let text = String(validating: try take(argument), as: UTF8.self) else { throw .invalidText }
            return .text(text)
        case 4: return .array(try items(argument, depth: depth))
        case 5: return .map(try pairs(argument, depth: depth))
        case 7:
            switch argument {
            case 20: return .bool(false)
            case 21: return .bool(true)
            case 22: return .null
            default: throw .unsupported
            }
        default: throw .unsupported
        }
    }

    private mutating func items(_ count: UInt64, depth: Int) throws(CBORError) -> [CBOR] {
        // Each item takes at least one byte.
        guard count <= UInt64(bytes.endIndex - position) else { throw .truncated }
        var items: [CBOR] = []
        for _ in 0..<count { items.append(try item(depth: depth + 1)) }
        return items
    }

    private mutating func pairs(_ count: UInt64, depth: Int) throws(CBORError) -> [CBOR: CBOR] {
        guard count <= UInt64(bytes.endIndex - position) / 2 else { throw .truncated }
        var pairs: [CBOR: CBOR] = [:]
        for _ in 0..<count {
            let key = try item(depth: depth + 1)
            let value = try item(depth: depth + 1)
            guard pairs.updateValue(value, forKey: key) == nil else { throw .duplicateKey }
        }
        return pairs
    }

    /// Major type and argument (RFC 8949 §3), the argument in its shortest form.
    private mutating func head() throws(CBORError) -> (major: UInt8, argument: UInt64) {
        let initial = try byte()
        let major = initial >> 5
        let info = initial & 0x1f
        switch info {
        case 0..<24: return (major, UInt64(info))
        case 24...27:
            // Simple values above 31 and floats are outside the subset.
            guard major != 7 else { throw .unsupported }
            let width = 1 << Int(info - 24)
            var argument: UInt64 = 0
            for _ in 0..<width { argument = argument << 8 | UInt64(try byte()) }
            let least: UInt64 = width == 1 ? 24 : 1 << UInt64(width * 4)
            guard argument >= least else { throw .notMinimal }
            return (major, argument)
        case 31: throw .indefiniteLength
        default: throw .unsupported
        }
    }

    private mutating func byte() throws(CBORError) -> UInt8 {
        guard position < bytes.endIndex else { throw .truncated }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func take(_ count: UInt64) throws(CBORError) -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.endIndex - position) else { throw .truncated }
        let end = position + Int(count)
        defer { position = end }
        return bytes[position..<end]
    }
}
