import CaptureProtocol
import Crypto
import Foundation

/// Links to media that live for at most an hour (SPEC §5).
struct MediaLinks: Sendable {
    /// What may be asked for by link, each with its role where a file turns out to be it.
    static let roles = [
        "public.jpg": "public_copy", "photo-828.jpg": "thumbnail", "photo-1656.jpg": "thumbnail", "thumbnail.jpg": "thumbnail",
        "depth-preview.png": "depth_preview", "c2pa.jpg": "c2pa_copy", "manifest.c2pa": "manifest", "og.jpg": "share_picture",
    ]
    static let names = Set(roles.keys)
    /// Which of it needs no signature.
    static let unsigned: Set<String> = ["thumbnail.jpg", "og.jpg"]
    static let life: Int64 = 3600
    /// Links made within a quarter of an hour are the same, so that answers and caches hold.
    static let step: Int64 = 900
    private let key: SymmetricKey

    init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

    /// Path and query.
    func path(_ capture: CaptureID, _ name: String, at now: Date) -> String {
        let path = "/media/\(capture)/\(name)"
        if Self.unsigned.contains(name) { return path }
        let seconds = Int64(now.timeIntervalSince1970)
        let expires = seconds - seconds % Self.step + Self.life
        return "\(path)?expires=\(expires)&signature=\(Hex.encode(code(capture, name, expires)))"
    }

    /// - Throws: `FORBIDDEN` for a wrong signature or one too far ahead, `GONE` for an expired one.
    func check(_ capture: CaptureID, _ name: String, expires: String?, signature: String?, at now: Date) throws(APIError) {
        if Self.unsigned.contains(name) { return }
        let message = Data("rial-media-v1\n\(capture)\n\(name)\n\(expires ?? "")".utf8)
        guard let expires = expires.flatMap(Int64.init), let bytes = signature.flatMap(Hex.decode),
            HMAC<SHA256>.isValidAuthenticationCode(bytes, authenticating: message, using: key)
        else { throw APIError(.forbidden, "The link's signature is not valid.") }
        let seconds = Int64(now.timeIntervalSince1970)
        guard seconds <= expires else { throw APIError(.gone, "The link has expired.") }
        guard expires - seconds <= Self.life else { throw APIError(.forbidden, "The link's signature is not valid.") }
    }

    private func code(_ capture: CaptureID, _ name: String, _ expires: Int64) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data("rial-media-v1\n\(capture)\n\(name)\n\(expires)".utf8), using: key))
    }
}
