public import CaptureProtocol

/// A capture in privacy mode, ready to be stored (SPEC §9): photo and depth map, which stay on the device, and what is told of them.
public struct PrivateCapture: Sendable, Equatable {
    /// JPEG with its EXIF, exact time and place included: it is for its person only.
    public let photo: [UInt8]
    /// Little-endian float32, row-major, as gzip (RFC 1952).
    public let depth: [UInt8]
    /// The size of the depth map, in pixels.
    public let depthWidth: Int
    public let depthHeight: Int
    /// What the device knows, of which ``flags`` share a part.
    public let facts: HashOnlyPayload.Facts
    /// The settings at the shutter.
    public let flags: MetadataFlags
    public let measurements: SignedDepth
    /// As the app gave it; stays on the device.
    public let thumbnail: [UInt8]?

    public init(
        photo: [UInt8], depth: [UInt8], depthWidth: Int, depthHeight: Int, facts: HashOnlyPayload.Facts, flags: MetadataFlags,
        measurements: SignedDepth, thumbnail: [UInt8]? = nil
    ) {
        self.photo = photo
        self.depth = depth
        self.depthWidth = depthWidth
        self.depthHeight = depthHeight
        self.facts = facts
        self.flags = flags
        self.measurements = measurements
        self.thumbnail = thumbnail
    }

    /// What is signed and sent: always the same bytes for the same capture.
    /// - Parameter mediaHash: SHA-256 of ``photo``, which whoever stores the photo computes in the same pass.
    func payload(mediaHash: ContentDigest) throws(HashOnlyError) -> [UInt8] {
        try HashOnlyPayload(mediaHash: mediaHash, facts: facts, sharing: flags, depth: measurements).bytes()
    }
}
