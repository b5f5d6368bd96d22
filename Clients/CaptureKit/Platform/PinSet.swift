public import CaptureProtocol
public import Foundation

/// The keys that a server may have: SHA-256 of the SubjectPublicKeyInfo of its leaf certificate (RFC 7469 §2.4). Several at once, so that
/// the next key is shipped before the server uses it. Checked beside the chain and the name, never instead of them.
public struct PinSet: Sendable, Hashable {
    private let digests: Set<ContentDigest>

    /// Without pins any trusted certificate will do; see ``permits(_:inDevelopment:)``.
    public static let none = PinSet([])

    public init(_ digests: Set<ContentDigest>) { self.digests = digests }

    /// - Parameter texts: 64 hex digits, or base64 of 32 bytes, each.
    /// - Throws: ``PinError`` for any other text, since a set without a mistyped pin would refuse the server only once its key changes.
    public init(texts: [String]) throws(PinError) {
        var digests: Set<ContentDigest> = []
        for text in texts {
            guard let digest = ContentDigest(text: text) else { throw PinError(text: text) }
            digests.insert(digest)
        }
        self.init(digests)
    }

    public var isEmpty: Bool { digests.isEmpty }

    /// - Parameter digest: SHA-256 of the DER of the leaf's SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
    public func contains(spkiSHA256 digest: ContentDigest) -> Bool { digests.contains(digest) }

    /// The same for a P-256 key of which only the point is known, as Apple's `SecKey` gives it.
    /// - Parameter point: X9.63, uncompressed: 4, x, y; 65 bytes. Any other key is not contained.
    public func contains(p256Point point: [UInt8]) -> Bool {
        guard point.count == 65, point.first == 4 else { return false }
        return contains(spkiSHA256: ContentDigest(of: Self.p256Header + point))
    }

    /// Whether requests may go to the server: by https to any if there are pins; by http to this machine only; in development anywhere.
    public func permits(_ server: URL, inDevelopment: Bool = false) -> Bool {
        switch server.scheme?.lowercased() {
        case "https": inDevelopment || !isEmpty
        case "http": inDevelopment || Self.isLoopback(server.host ?? "")
        default: false
        }
    }

    /// RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3.
    private static func isLoopback(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name == "::1" || name == "[::1]" { return true }
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers.first == 127 && !numbers.contains(nil)
    }

    /// SubjectPublicKeyInfo of a P-256 key up to its point: id-ecPublicKey, prime256v1, a bit string of 66 bytes (RFC 5480 §2).
    private static let p256Header: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
        0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]
}

/// A text that is no pin.
public struct PinError: Error, Sendable, Equatable, CustomStringConvertible {
    public let text: String
    public init(text: String) { self.text = text }
    public var description: String { "\(text) is neither 64 hex digits nor base64 of a SHA-256" }
}
