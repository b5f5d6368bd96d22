import CaptureProtocol
import Foundation

/// The attestation of a device without App Attest: format "none" of WebAuthn (§8.7), which claims nothing. The server registers such a
/// device as unverified, by its request key alone.
enum NoneAttestation {
    /// CBOR of `{"fmt": "none", "attStmt": {}, "authData": h''}`.
    static let object: [UInt8] =
        [0xa3, 0x63] + Array("fmt".utf8) + [0x64] + Array("none".utf8) + [0x67] + Array("attStmt".utf8) + [0xa0, 0x68]
        + Array("authData".utf8) + [0x40]

    /// Stands in for an attested key's identifier, which has the same form: SHA-256 of the request key.
    static func keyID(for requestKey: RequestKey) -> [UInt8] { ContentDigest(of: requestKey.publicKey.bytes).bytes }
}
