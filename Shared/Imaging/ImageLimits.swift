/// Limits on the values in a JPEG's header, checked before any allocation.
public enum ImageLimits {
    /// Pixels a side.
    public static let maximumSide = 12_000
    /// Total pixels: a 48-megapixel phone photo, with a margin.
    public static let maximumPixels = 60_000_000
    /// Pixels of a progressive or multi-scan JPEG, whose coefficients are all kept in memory (up to 6 bytes a pixel).
    public static let maximumBufferedPixels = 20_000_000
    /// Scans; progressive encoders write about ten.
    public static let maximumScans = 64
}
