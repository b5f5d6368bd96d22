/// The name of a part of a multipart body (SPEC §2, §7, §10.1): a client sends parts by it, and the server tells them apart by it.
public enum UploadPart: String, Sendable, CaseIterable {
    /// JPEG.
    case photo
    /// The photo's.
    case depthMap = "depth_map"
    /// MP4 or QuickTime.
    case video
    /// The video's.
    case depthData = "depth_data"
    /// JSON; see ``HashChain``.
    case hashChain = "hash_chain"
    /// JSON; see ``CaptureMetadata`` and ``VideoMetadata``.
    case metadata
    /// App Attest assertion, in CBOR.
    case assertion
    /// JSON: what the device says of its own detection.
    case detection
    /// To be verified, and not kept.
    case file
}
