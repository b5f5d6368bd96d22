import Crypto
import Foundation
public import HTTPTypes

/// Restricts the operator routes of an admin port to requests with `Authorization: Bearer` and the token. Requests from browsers are always
/// rejected, so that no web page can send one from an operator's browser.
public struct AdminAuthorization: Sendable {
    public enum Refusal: String, Sendable {
        /// Sent by a browser for a web page.
        case browserRefused = "browser_refused"
        /// No token is configured, so the routes are disabled.
        case tokenNotSet = "admin_token_not_set"
        case unauthorized
    }

    public static let minimumCharacters = 16
    private let digest: SHA256Digest?

    /// - Parameter token: `nil` disables the routes.
    public init(token: String?) { digest = token.map { SHA256.hash(data: Data($0.utf8)) } }

    /// Whether a token is long enough and can be sent in a header.
    public static func isFit(_ token: String) -> Bool {
        token.utf8.count >= minimumCharacters && token.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// - Returns: `nil` if the request is allowed.
    public func refusal(_ headers: HTTPFields) -> Refusal? {
        let site = HTTPField.Name("Sec-Fetch-Site").flatMap { headers[$0] }
        if headers[.origin] != nil || (site != nil && site != "none") { return .browserRefused }
        guard let digest else { return .tokenNotSet }
        let scheme = "bearer "
        guard let given = headers[.authorization], given.lowercased().hasPrefix(scheme) else { return .unauthorized }
        // Digests are compared in constant time, so that timing reveals neither length nor content of the token.
        return SHA256.hash(data: Data(given.utf8.dropFirst(scheme.utf8.count))) == digest ? nil : .unauthorized
    }
}
