import CaptureProtocol

/// 32 random bytes that keep a digest from being guessed; never used twice.
public struct Salt: Hashable, Sendable {
    /// Exactly 32 bytes.
    public let bytes: [UInt8]

    /// `nil` unless `bytes` has 32 elements.
    public init?(bytes: some Sequence<UInt8>) {
        let array = Array(bytes)
        guard array.count == 32 else { return nil }
        self.bytes = array
    }
}

/// What the leaves of one capture have in common: 16 random bytes, one value for each capture, written as lower-case hex.
public struct LogSubject: Hashable, Sendable, CustomStringConvertible {
    /// Exactly 16 bytes.
    public let bytes: [UInt8]

    /// `nil` unless `bytes` has 16 elements.
    public init?(bytes: some Sequence<UInt8>) {
        let array = Array(bytes)
        guard array.count == 16 else { return nil }
        self.bytes = array
    }

    /// Reads 32 lower-case hex digits; `nil` for anything else.
    public init?(hex: String) {
        guard let bytes = Hex.decode(hex) else { return nil }
        self.init(bytes: bytes)
        guard self.hex.utf8.elementsEqual(hex.utf8) else { return nil }
    }

    public var hex: String { Hex.encode(bytes) }
    public var description: String { hex }
}

extension ContentDigest {
    /// Reads 64 lower-case hex digits, the one spelling in statements and leaves; `nil` for anything else.
    init?(lowerCaseHex text: String) {
        guard let bytes = Hex.decode(text), Hex.encode(bytes).utf8.elementsEqual(text.utf8) else { return nil }
        self.init(bytes: bytes)
    }
}
