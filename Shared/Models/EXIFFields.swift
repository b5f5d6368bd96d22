/// The EXIF fields of a photo (CIPA DC-008) that the checks need. They are untrusted.
public struct EXIFFields: Codable, Sendable, Equatable {
    public var make: String?
    public var model: String?
    /// 1...8 (TIFF 6.0): how to rotate the stored picture upright.
    public var orientation: Int?
    /// "2026:11:21 07:00:00", as written.
    public var dateTimeOriginal: String?
    /// "+01:00", as written.
    public var offsetTimeOriginal: String?
    /// Digits of a decimal fraction, as written.
    public var subSecTimeOriginal: String?
    public var hasGPS = false
    /// The size of the coded picture, from its frame header.
    public var pixelWidth: Int?
    public var pixelHeight: Int?

    public init() {}

    private enum CodingKeys: String, CodingKey {
        case make, model, orientation
        case dateTimeOriginal = "date_time_original"
        case offsetTimeOriginal = "offset_time_original"
        case subSecTimeOriginal = "sub_sec_time_original"
        case hasGPS = "has_gps"
        case pixelWidth = "pixel_width"
        case pixelHeight = "pixel_height"
    }
}
