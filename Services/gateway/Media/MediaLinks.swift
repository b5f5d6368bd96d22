import CaptureProtocol
import Crypto
import Foundation
import Models

/// Signed links to media, valid for at most an hour (SPEC §5): for 40 to 55 minutes from when they are made.
struct MediaLinks: Sendable {
    /// How far ahead an expiry time may be.
    static let maximumSeconds: Int64 = 3600
    /// How far ahead those that are made here are, at most. The rest of the hour is for gateways whose clocks are behind.
    static let lifetimeSeconds: Int64 = 3300
    /// Expiry times are rounded to quarters of an hour: links made within one are equal, so entity tags and caches stay valid.
    static let stepSeconds: Int64 = 900
    private let key: SymmetricKey

    init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

    /// The link's path and query.
    func path(_ capture: CaptureID, _ name: MediaName, at now: Date) -> String {
        let path = "/media/\(capture)/\(name.rawValue)"
        if name.isOpen { return path }
        let seconds = Int64(now.timeIntervalSince1970)
        let expires = seconds - seconds % Self.stepSeconds + Self.lifetimeSeconds
        return "\(path)?expires=\(expires)&signature=\(Hex.encode(code(capture, name, expires)))"
    }

    enum Verdict: Equatable, Sendable {
        case valid
        /// The signature is wrong, or the expiry time is too far in the future.
        case forged
        case expired
    }

    func check(_ capture: CaptureID, _ name: MediaName, expires: String?, signature: String?, at now: Date) -> Verdict {
        if name.isOpen { return .valid }
        let message = Self.message(capture, name, expires ?? "")
        guard let expires = expires.flatMap(Int64.init), let bytes = signature.flatMap(Hex.decode),
            HMAC<SHA256>.isValidAuthenticationCode(bytes, authenticating: message, using: key)
        else { return .forged }
        let seconds = Int64(now.timeIntervalSince1970)
        guard seconds <= expires else { return .expired }
        return expires - seconds <= Self.maximumSeconds ? .valid : .forged
    }

    private func code(_ capture: CaptureID, _ name: MediaName, _ expires: Int64) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Self.message(capture, name, String(expires)), using: key))
    }

    private static func message(_ capture: CaptureID, _ name: MediaName, _ expires: String) -> Data {
        Data("rial-media-v1\n\(capture)\n\(name.rawValue)\n\(expires)".utf8)
    }
}
