/// What a photo says of itself in EXIF (CIPA DC-008), as far as the checks need it.
public struct EXIFFields: Sendable, Equatable {
    public var make: String?
    public var model: String?
    /// 1...8 (TIFF 6.0); how to turn the stored rows upright.
    public var orientation: Int?
    /// "2026:11:21 07:00:00", as written.
    public var dateTimeOriginal: String?
    /// "+01:00", as written.
    public var offsetTimeOriginal: String?
    /// Digits of a decimal fraction, as written.
    public var subSecTimeOriginal: String?
    public var hasGPS = false
    /// Of the coded picture, from its frame header.
    public var pixelWidth: Int?
    public var pixelHeight: Int?

    public init() {}
}
