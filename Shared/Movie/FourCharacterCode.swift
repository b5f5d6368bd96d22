/// Four bytes that name a box, a brand, a codec or a kind of track (ISO/IEC 14496-12 §4.2).
public struct FourCharacterCode: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The bytes as a big-endian number.
    public let value: UInt32

    public init(_ value: UInt32) { self.value = value }

    /// From the first four bytes of `literal`; a shorter one is filled up with spaces.
    public init(stringLiteral literal: String) {
        value = (Array(literal.utf8) + [0x20, 0x20, 0x20, 0x20]).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    public var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

    /// The bytes as Latin-1 (QuickTime has `©xyz`).
    public var description: String { String(String.UnicodeScalarView(bytes.map(UnicodeScalar.init))) }
}
