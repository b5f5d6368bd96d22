/// What a JPEG's header may announce before anything is allocated for it.
public enum ImageLimits {
    /// Pixels a side.
    public static let maximumSide = 12_000
    /// Pixels in all: a 48-megapixel phone photo with room.
    public static let maximumPixels = 60_000_000
    /// Pixels of a progressive or several-scan JPEG, whose coefficients are held whole (up to 6 bytes a pixel).
    public static let maximumBufferedPixels = 20_000_000
    /// Scans; progressive encoders write about ten.
    public static let maximumScans = 64
}
