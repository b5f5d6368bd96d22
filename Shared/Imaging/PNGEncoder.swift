import CPNG

/// Writes PNG with libpng.
public enum PNGEncoder {
    /// - Throws: ``ImagingError`` `encodingFailed`.
    public static func encode(_ image: RGBImage) throws(ImagingError) -> [UInt8] {
        try write(image.width, image.height, image.pixels, palette: [])
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
        // In enlarged pictures it is enough to look for pixels like the one before or above, in half the time. It is not where other things
        // repeat, such as stripes: a file with over half a bit a pixel is made again.
        let capacity = indices.count / 16 + overhead(palette)
        if let file = try written(width, height, indices, palette: palette, ofRuns: true, capacity: capacity) { return file }
        return try write(width, height, indices, palette: palette)
    }

    /// Looks for anything that repeats.
    private static func write(_ width: Int, _ height: Int, _ pixels: [UInt8], palette: [UInt8]) throws(ImagingError) -> [UInt8] {
        // Large enough for any PNG of this size: the uncompressed rows with zlib's overhead.
        let rows = pixels.count + height
        let capacity = rows + rows / 100 + overhead(palette)
        guard let file = try written(width, height, pixels, palette: palette, ofRuns: false, capacity: capacity) else {
            throw ImagingError(.encodingFailed, "more than \(capacity) bytes")
        }
        return file
    }

    /// The bytes of a file that are not its pixels, at most.
    private static func overhead(_ palette: [UInt8]) -> Int { palette.count + 4096 }

    /// - Parameters:
    ///   - palette: empty for pixels of three bytes.
    ///   - ofRuns: whether to look for repeated pixels only.
    /// - Returns: `nil` if the file has more bytes than `capacity`.
    private static func written(
        _ width: Int, _ height: Int, _ pixels: [UInt8], palette: [UInt8], ofRuns: Bool, capacity: Int
    ) throws(ImagingError) -> [UInt8]? {
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        defer { memory.deallocate() }
        var target = rial_png_target(bytes: memory, capacity: capacity, count: 0, is_full: 0)
        let status = pixels.withUnsafeBufferPointer { pixels in
            palette.withUnsafeBufferPointer { palette in
                rial_png_write(
                    pixels.baseAddress, UInt32(width), UInt32(height), palette.isEmpty ? nil : palette.baseAddress,
                    Int32(palette.count / 3), ofRuns ? 1 : 0, &target)
            }
        }
        if status != 0 { return Array(UnsafeBufferPointer(start: memory, count: target.count)) }
        guard target.is_full != 0 else { throw ImagingError(.encodingFailed, "libpng failed") }
        return nil
    }
}
