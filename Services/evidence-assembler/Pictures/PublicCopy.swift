import JPEGMetadata
import Models

/// The public copy of a photo: the same image data, not re-encoded, without location, maker notes and serial numbers.
struct PublicCopy: Sendable {
    let bytes: [UInt8]
    /// As displayed, with the EXIF orientation applied; `nil` if EXIF has no size.
    let pixels: PixelSize?
}

extension PublicCopy {
    /// - Returns: `nil` if the photo is not a valid JPEG.
    init?(of photo: [UInt8], _ exif: EXIFFields?) {
        guard let bytes = try? JPEGSegments.publicCopy(of: photo) else { return nil }
        let pixels = exif.flatMap { exif -> PixelSize? in
            guard let width = exif.pixelWidth, let height = exif.pixelHeight else { return nil }
            let upright = EXIFReader.upright((width, height), orientation: exif.orientation)
            return PixelSize(upright.width, upright.height)
        }
        self.init(bytes: bytes, pixels: pixels)
    }
}
