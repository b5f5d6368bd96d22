import Models

extension EXIFReader {
    /// The prefix of a JPEG that is searched for EXIF: it is in one of the first segments, each at most 64 KiB.
    public static let headBytes = 256 * 1024

    /// The EXIF orientation of a JPEG, 1...8, from its first ``headBytes``; `nil` if there is none.
    public static func orientation(of jpeg: [UInt8]) -> Int? { read(jpeg: Array(jpeg.prefix(headBytes)))?.orientation }

    /// Width and height of the upright picture: orientations from 5 on swap them (Exif 2.32 §4.6.4).
    public static func upright(_ size: (width: Int, height: Int), orientation: Int?) -> (width: Int, height: Int) {
        (orientation ?? 1) >= 5 ? (size.height, size.width) : size
    }
}
