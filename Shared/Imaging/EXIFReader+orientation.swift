import Models

extension EXIFReader {
    /// EXIF lies in the first segments of a JPEG, each at most 64 KiB.
    public static let headBytes = 256 * 1024

    /// EXIF orientation of a JPEG, 1...8, looked for in its head; `nil` if it says none.
    public static func orientation(of jpeg: [UInt8]) -> Int? { read(jpeg: Array(jpeg.prefix(headBytes)))?.orientation }

    /// Width and height as a viewer sees them: from orientation 5 on the picture lies on its side (Exif 2.32 §4.6.4).
    public static func upright(_ size: (width: Int, height: Int), orientation: Int?) -> (width: Int, height: Int) {
        (orientation ?? 1) >= 5 ? (size.height, size.width) : size
    }
}
