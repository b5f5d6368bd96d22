import CaptureProtocol

/// What a device sent, and how it was attested.
struct OwnedParts: Sendable {
    let kind: CaptureKind
    /// Its metadata, or its payload.
    let metadata: [UInt8]
    let assertion: [UInt8]?
    let attestation: [UInt8]?
    /// Of the attestation; `nil` for devices of versions that did not keep it.
    let clientDataHash: ContentDigest?
}
