public import CaptureProtocol
public import Foundation

/// Which server captures are sent to: by its public key, beside the ordinary checks of its certificate's chain and name.
public struct ServerTrust: Sendable {
    /// SHA-256 of the SubjectPublicKeyInfo of the server's certificate (RFC 7469 §2.4), one for each key that it may have. Ship the pin of the
    /// next key before that key is used.
    public let pins: Set<ContentDigest>
    /// Allows `http` to any host, and `https` without pins.
    public let isDevelopment: Bool

    public init(pins: Set<ContentDigest>, isDevelopment: Bool = false) {
        self.pins = pins
        self.isDevelopment = isDevelopment
    }

    /// Whether a server with this key may be spoken to. Without pins any may.
    /// - Parameter subjectPublicKeyInfo: of the server's own certificate (DER, RFC 5280 §4.1.2.7).
    public func accepts(subjectPublicKeyInfo: some DataProtocol) -> Bool {
        pins.isEmpty || pins.contains(ContentDigest(of: subjectPublicKeyInfo))
    }

    /// The server's address without a trailing slash, such as `https://example.com:8443`, if it may be used.
    public func origin(of url: URL) throws(ServerAddressError) -> String {
        guard let scheme = url.scheme, ["http", "https"].contains(scheme), let host = url.host, !host.isEmpty,
            ["", "/"].contains(url.path),
            url.query == nil, url.fragment == nil, url.user == nil, url.password == nil
        else { throw .malformed }
        if scheme == "http" {
            guard isDevelopment || Self.isLoopback(host) else { throw .plainText }
        } else {
            guard isDevelopment || !pins.isEmpty else { throw .notPinned }
        }
        let text = url.absoluteString
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// RFC 6761 §6.3 for the name, RFC 1122 §3.2.1.3 and RFC 4291 §2.5.3 for the addresses.
    private static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// Why a server's address cannot be used.
public enum ServerAddressError: Error, Sendable, Equatable {
    /// Anything but `http` or `https`, host and port.
    case malformed
    /// `http` to another machine, outside development.
    case plainText
    /// `https` without pins, outside development.
    case notPinned
}
