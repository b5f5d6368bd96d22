public import Models

/// Reads EXIF from the first bytes of a JPEG. Malformed, untrusted input yields fewer fields, never a crash or a long loop.
public enum EXIFReader {
    /// - Parameter jpeg: the file, or a prefix of it; truncated segments are ignored.
    /// - Returns: `nil` if it is not a JPEG.
    public static func read(jpeg: [UInt8]) -> EXIFFields? {
        guard jpeg.count >= 4, jpeg[0] == 0xff, jpeg[1] == 0xd8 else { return nil }
        var fields = EXIFFields()
        var hasEXIF = false
        var walker = JPEGMarkerWalker(jpeg)
        while let segment = walker.next() {
            // Only the first frame and the first EXIF segment count, as for other readers.
            if segment.isFrameHeader, segment.payload.count >= 5, fields.pixelWidth == nil {
                let start = segment.payload.startIndex
                fields.pixelHeight = Int(jpeg[start + 1]) << 8 | Int(jpeg[start + 2])
                fields.pixelWidth = Int(jpeg[start + 3]) << 8 | Int(jpeg[start + 4])
            }
            if segment.isEXIF, !hasEXIF, let tiff = TIFFReader(jpeg[segment.payload].dropFirst(6)) {
                hasEXIF = true
                read(tiff, into: &fields)
            }
        }
        return fields
    }

    private static func read(_ tiff: TIFFReader, into fields: inout EXIFFields) {
        let main = tiff.directory(at: tiff.firstDirectory)
        fields.make = main[0x010f].flatMap(tiff.text)
        fields.model = main[0x0110].flatMap(tiff.text)
        fields.orientation = main[0x0112].flatMap(tiff.integer).flatMap { (1...8).contains($0) ? $0 : nil }
        fields.hasGPS = main[0x8825] != nil
        guard let pointer = main[0x8769].flatMap(tiff.integer) else { return }
        let photo = tiff.directory(at: pointer)
        fields.dateTimeOriginal = photo[0x9003].flatMap(tiff.text)
        fields.offsetTimeOriginal = photo[0x9011].flatMap(tiff.text)
        fields.subSecTimeOriginal = photo[0x9291].flatMap(tiff.text)
    }
}
