import CaptureProtocol
import Models

/// A stored signed copy of a capture. No row names it yet.
struct IssuedCredentials: Sendable {
    let manifestID: String
    let certificateSerial: String
    /// SHA-256 of the signing certificate's DER.
    let leafDigest: ContentDigest
    /// The certificate's organization, as shown to readers; `nil` if it has none.
    let issuer: String?
    let hasTimestamp: Bool
    let copy: StoredMedia
    let manifest: StoredMedia

    /// ``MediaName/signedCopy`` or ``MediaName/signedVideo``.
    let name: MediaName

    var objects: [MediaName: StoredMedia] { [name: copy, .manifest: manifest] }
}
