import CaptureProtocol

/// Random bytes in the metadata part of each capture. The public log commits to that part's digest: without them, who knows the rest could
/// find the place by trying (SPEC §14 "Linkability").
public enum CaptureNonce {
    public static let sizeBytes = 16

    /// A new one, which nobody can guess.
    public static func random() -> [UInt8] { .random(sizeBytes) }
}
