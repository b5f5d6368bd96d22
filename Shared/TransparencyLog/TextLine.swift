/// One line of a note without its LF: an origin, the name of a key, an extension line. Never empty, UTF-8 without control characters.
///
/// Equal are equal bytes. `String` takes two spellings of "é" for one.
public struct TextLine: Hashable, Sendable, CustomStringConvertible {
    /// UTF-8.
    public let bytes: [UInt8]

    /// `nil` if it is empty, not UTF-8, or has a control character, LF among them.
    public init?(bytes: some Sequence<UInt8>) {
        let array = Array(bytes)
        guard !array.isEmpty, array.allSatisfy({ $0 >= 0x20 }), String(validating: array, as: UTF8.self) != nil else { return nil }
        self.bytes = array
    }

    /// `nil` if it is empty or has a control character.
    public init?(_ text: String) { self.init(bytes: text.utf8) }

    public var text: String { String(decoding: bytes, as: UTF8.self) }
    public var description: String { text }

    /// Whether it may be the name of a key: no Unicode space and no plus (c2sp.org/signed-note, "Format").
    public var isKeyName: Bool { !text.unicodeScalars.contains { $0 == "+" || $0.properties.isWhitespace } }
}
