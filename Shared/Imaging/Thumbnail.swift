import Foundation

/// Small upright copies of photos, without any metadata.
public enum Thumbnail {
    /// - Parameters:
    ///   - maxSide: the longer side in pixels; smaller photos keep their size.
    ///   - orientation: EXIF orientation of the photo, 1...8; it is applied.
    /// - Returns: a JPEG of quality 80.
    /// - Throws: ``ImagingError``.
    public static func make(
        _ jpeg: some ContiguousBytes, maxSide: Int = 640, orientation: Int = 1
    ) throws(ImagingError) -> [UInt8] {
        let small = try JPEGDecoder.decodeRGB(jpeg, fitting: maxSide)
        return try JPEGEncoder.encode(small.oriented(orientation), quality: 80)
    }
}
