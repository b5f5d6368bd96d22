import CPNG

/// Writes PNG with libpng's simplified interface.
public enum PNGEncoder {
    /// - Throws: ``ImagingError`` `encodingFailed`.
    public static func encode(_ image: RGBImage) throws(ImagingError) -> [UInt8] {
        var png = describe(image.width, image.height)
        png.format = UInt32(PNG_FORMAT_FLAG_COLOR)
        return try write(&png, pixels: image.pixels, stride: image.width * 3, palette: [])
    }

    /// Encodes with a palette, one byte a pixel: much smaller for pictures of few colours.
    /// - Parameters:
    ///   - indices: row-major, each below the palette's count.
    ///   - palette: 1...256 colours, three bytes each.
    /// - Throws: ``ImagingError`` `invalidArgument` or `encodingFailed`.
    public static func encode(width: Int, height: Int, indices: [UInt8], palette: [UInt8]) throws(ImagingError) -> [UInt8] {
        try ImageShape.check(width: width, height: height, channels: 1, count: indices.count)
        let colours = palette.count / 3
        guard palette.count.isMultiple(of: 3), (1...256).contains(colours), indices.allSatisfy({ Int($0) < colours }) else {
            throw ImagingError(.invalidArgument, "a palette of \(palette.count) bytes")
        }
        var png = describe(width, height)
        png.format = UInt32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_COLORMAP)
        png.colormap_entries = UInt32(colours)
        return try write(&png, pixels: indices, stride: width, palette: palette)
    }

    private static func describe(_ width: Int, _ height: Int) -> png_image {
        var png = png_image()
        png.version = UInt32(PNG_IMAGE_VERSION)
        png.width = UInt32(width)
        png.height = UInt32(height)
        return png
    }

    /// Encodes into a buffer that is large enough for any PNG of this size: libpng's bound is the uncompressed rows with zlib's overhead.
    private static func write(
        _ png: inout png_image, pixels: [UInt8], stride: Int, palette: [UInt8]
    ) throws(ImagingError) -> [UInt8] {
        defer { png_image_free(&png) }
        let rows = pixels.count + Int(png.height)
        var output = [UInt8](repeating: 0, count: rows + rows / 100 + palette.count + 4096)
        var size = output.count
        let status = output.withUnsafeMutableBytes { target in
            pixels.withUnsafeBytes { source in
                palette.withUnsafeBytes { colours in
                    png_image_write_to_memory(
                        &png, target.baseAddress, &size, 0, source.baseAddress, Int32(stride),
                        palette.isEmpty ? nil : colours.baseAddress)
                }
            }
        }
        guard status != 0, size <= output.count else { throw ImagingError(.encodingFailed, message(of: png)) }
        output.removeSubrange(size...)
        return output
    }

    private static func message(of png: png_image) -> String {
        withUnsafeBytes(of: png.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
