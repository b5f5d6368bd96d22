import JPEGMetadata
import Models

/// The head of a JPEG or PNG file.
enum PictureHead {
    /// The size as displayed, with the EXIF orientation applied.
    /// - Returns: `nil` for other formats or an incomplete head.
    static func size(_ head: [UInt8]) -> PixelSize? {
        // PNG (third edition) §5.2, §11.2.1: signature, then IHDR with width and height.
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            guard head.count >= 24, head[12..<16].elementsEqual(Array("IHDR".utf8)) else { return nil }
            return PixelSize(number(head[16..<20]), number(head[20..<24]))
        }
        guard let fields = EXIFReader.read(jpeg: head), let width = fields.pixelWidth, let height = fields.pixelHeight else { return nil }
        let size = EXIFReader.upright((width, height), orientation: fields.orientation)
        return PixelSize(size.width, size.height)
    }

    /// Big-endian.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
