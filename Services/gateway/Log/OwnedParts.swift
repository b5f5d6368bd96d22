import CaptureProtocol

/// What a device sent, and how it was attested.
struct OwnedParts: Sendable {
    let kind: CaptureKind
    /// Its metadata, or its payload.
    let metadata: [UInt8]
    let assertion: [UInt8]?
    let attestation: [UInt8]?
    /// The client data hash of the attestation; `nil` for devices that an earlier version registered without keeping it.
    let clientDataHash: ContentDigest?
}
