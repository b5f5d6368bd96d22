/// How large what is sent may be, in bytes (SPEC §2, §7). Messages say them in whole KiB or MiB.
public enum SizeLimits {
    /// The body of a capture, all parts together.
    public static let capture = 20 << 20
    /// The metadata of a capture, and its detection report.
    public static let metadata = 64 << 10
    /// A part of a multipart body that nobody knows.
    public static let unknownPart = 64 << 10
    /// The body of a registration.
    public static let registration = 128 << 10
    /// A file to be verified, but for a video.
    public static let file = 20 << 20
    /// A video to be verified.
    public static let video = 100 << 20
}
