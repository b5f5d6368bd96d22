import CaptureProtocol
public import Foundation

/// Which server captures are sent to: by its public key, beside the ordinary checks of its certificate's chain and name.
public struct ServerTrust: Sendable {
    public let pins: PinSet
    /// Allows `http` to any host, and `https` without pins.
    public let isDevelopment: Bool

    public init(pins: PinSet, isDevelopment: Bool = false) {
        self.pins = pins
        self.isDevelopment = isDevelopment
    }

    /// Whether a server with this key may be spoken to. Without pins any may.
    /// - Parameter subjectPublicKeyInfo: of the server's own certificate (DER, RFC 5280 §4.1.2.7).
    public func accepts(subjectPublicKeyInfo: some DataProtocol) -> Bool {
        pins.isEmpty || pins.contains(spkiSHA256: ContentDigest(of: subjectPublicKeyInfo))
    }

    /// The server's address without a trailing slash, such as `https://example.com:8443`, if it may be used.
    public func origin(of url: URL) throws(ServerAddressError) -> String {
        guard let scheme = url.scheme, ["http", "https"].contains(scheme), let host = url.host, !host.isEmpty,
            ["", "/"].contains(url.path), url.query == nil, url.fragment == nil, url.user == nil, url.password == nil
        else { throw .malformed }
        guard pins.permits(url, inDevelopment: isDevelopment) else { throw scheme == "http" ? .plainText : .notPinned }
        let text = url.absoluteString
        let origin = text.hasSuffix("/") ? String(text.dropLast()) : text
        // `path` hides a second slash at the end.
        guard !origin.dropFirst("\(scheme)://".count).contains("/") else { throw .malformed }
        return origin
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
