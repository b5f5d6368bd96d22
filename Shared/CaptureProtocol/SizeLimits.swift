/// The largest sizes that the API accepts, in bytes (SPEC §2, §7). Messages give them in whole KiB or MiB.
public enum SizeLimits {
    /// The body of a capture, all parts together.
    public static let capture = 20 << 20
    /// The metadata of a capture, and its detection report.
    public static let metadata = 64 << 10
    /// The body of a capture in privacy mode.
    public static let hashOnlyBody = 32 << 10
    /// What such a body has the hardware sign.
    public static let hashOnlyPayload = 10_000
    /// The body of a video capture, all parts together (SPEC §10.1).
    public static let videoCapture = 150_000_000
    /// The `video` part of a video capture.
    public static let videoPart = 100_000_000
    /// The `depth_data` part of a video capture, as sent and inflated.
    public static let depthData = 48 << 20
    /// The `hash_chain` part of a video capture.
    public static let hashChain = 128 << 10
    /// What was fixed when the recording of a video began, decoded from base64.
    public static let recording = 8 << 10
    /// A multipart part with an unknown name.
    public static let unknownPart = 64 << 10
    /// The body of a registration.
    public static let registration = 128 << 10
    /// The attestation object in it, decoded from base64.
    public static let attestation = 16 << 10
    /// A file to be verified, unless it is a video.
    public static let file = 20 << 20
    /// A video to be verified.
    public static let video = 100 << 20
}
