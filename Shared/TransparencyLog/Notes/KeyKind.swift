import CaptureProtocol

/// What a key signs, by the first byte of its material (c2sp.org/signed-note, "Signature types").
public enum KeyKind: UInt8, Sendable, CaseIterable {
    /// Ed25519 over the text: a log's key.
    case log = 0x01
    /// Ed25519 over time and text: a witness's key (cosignature/v1 of c2sp.org/tlog-cosignature).
    case witness = 0x04
}

/// The first four bytes of SHA-256(name ‖ LF ‖ kind ‖ public key), written as eight hex digits.
public struct KeyID: Hashable, Sendable, CustomStringConvertible {
    public let value: UInt32

    public init(_ value: UInt32) { self.value = value }

    /// The first four of the bytes.
    init(firstOf bytes: [UInt8]) { value = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

    public var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    public var description: String { Hex.encode(bytes) }
}
