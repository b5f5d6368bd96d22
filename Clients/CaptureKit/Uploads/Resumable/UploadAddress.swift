import CaptureProtocol
import Foundation

/// Where an upload goes on (SPEC §2, "Uploads that resume"). Whoever has it may go on with the upload: it is kept sealed and is in no log.
struct UploadAddress: Sendable, Equatable, Codable, CustomStringConvertible {
    private static let path = APIPath.uploads + "/"
    private static let maximumBytes = 2000
    private static let ports = ["http": 80, "https": 443]

    /// 1 to 128 letters, digits, `-` and `_`.
    private let token: String

    /// The path at the configured server: no address leads to another one.
    var target: String { Self.path + token }
    var description: String { "the address of an upload" }

    /// - Parameters:
    ///   - location: what the server gave as `Location`.
    ///   - origin: the configured server's, without a trailing slash; `nil` if it is not known, and then only a path will do.
    /// - Returns: `nil` unless it is an upload's address at that server: the same scheme, host and port.
    init?(location: String, at origin: String?) {
        guard location.utf8.count <= Self.maximumBytes, let parts = URLComponents(string: location), parts.query == nil,
            parts.fragment == nil, parts.user == nil, parts.password == nil
        else { return nil }
        if parts.scheme != nil || parts.host != nil || parts.port != nil {
            guard let place = Self.place(parts), let own = origin.flatMap(URLComponents.init(string:)).flatMap(Self.place), place == own
            else { return nil }
        }
        self.init(path: parts.percentEncodedPath)
    }

    private init?(path: String) {
        guard path.hasPrefix(Self.path) else { return nil }
        let token = path.dropFirst(Self.path.count)
        guard (1...128).contains(token.utf8.count), token.utf8.allSatisfy(Self.isTokenByte) else { return nil }
        self.token = String(token)
    }

    init(from decoder: any Decoder) throws {
        let token = try decoder.singleValueContainer().decode(String.self)
        guard let address = UploadAddress(path: Self.path + token) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not an upload's address"))
        }
        self = address
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(token)
    }

    private static func place(_ parts: URLComponents) -> (scheme: String, host: String, port: Int)? {
        guard let scheme = parts.scheme?.lowercased(), let host = parts.host?.lowercased(), let port = parts.port ?? ports[scheme] else {
            return nil
        }
        return (scheme, host, port)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }
}
