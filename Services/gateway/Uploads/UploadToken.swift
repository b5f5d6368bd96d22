import CaptureProtocol
import Foundation

/// The secret in an upload's address: 32 random bytes in base64url. Only their SHA-256 is kept; never logged.
struct UploadToken: Sendable {
    static let bytes = 32
    let text: String
    let digest: ContentDigest

    static func random() -> UploadToken { UploadToken(.random(bytes)) }

    /// `nil` unless `text` is 43 characters of base64url without padding.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count == 43, text.utf8.allSatisfy(Self.isAllowed), let bytes = Base64.decode(String(text)),
            bytes.count == Self.bytes
        else {
            return nil
        }
        self.init(bytes)
        // The last character has two bits to spare: one spelling for each token.
        guard self.text == text else { return nil }
    }

    private init(_ bytes: [UInt8]) {
        text = Base64.encode(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        digest = ContentDigest(of: bytes)
    }

    private static func isAllowed(_ unit: UInt8) -> Bool {
        switch unit {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
