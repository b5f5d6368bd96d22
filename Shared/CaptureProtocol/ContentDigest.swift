public import Crypto
public import Foundation

/// A SHA-256 digest: 32 bytes, written as lower-case hex.
public struct ContentDigest: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Exactly 32 bytes.
    public let bytes: [UInt8]

    /// `nil` unless `bytes` has 32 elements.
    public init?(bytes: some Sequence<UInt8>) {
        let array = Array(bytes)
        guard array.count == 32 else { return nil }
        self.bytes = array
    }

    /// The result of a hash function.
    public init(_ digest: SHA256.Digest) {
        // At once: as a sequence it comes byte by byte.
        bytes = digest.withUnsafeBytes { Array($0) }
    }

    /// Hashes the bytes.
    public init(of bytes: some DataProtocol) { self.init(SHA256.hash(data: bytes)) }

    /// Reads 64 hex digits in either case, or base64 of 32 bytes (standard or URL-safe, padded or not).
    public init?(text: String) {
        if text.utf8.count == 64, let bytes = Hex.decode(text) {
            self.init(bytes: bytes)
        } else if text.utf8.count <= 44, let bytes = Base64.decode(text) {
            self.init(bytes: bytes)
        } else {
            return nil
        }
    }

    public var hex: String { Hex.encode(bytes) }
    public var description: String { hex }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = ContentDigest(text: text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a SHA-256"))
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}
