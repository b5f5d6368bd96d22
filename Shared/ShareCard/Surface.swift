import CPango

/// Pixels that cairo draws on or from. Owns cairo's surface; used by one thread.
final class Surface {
    let width: Int
    let height: Int
    /// Bytes from the start of a row to that of the next.
    let stride: Int
    /// Only for drawing on it or from it.
    let handle: OpaquePointer
    private let bytes: UnsafeMutablePointer<UInt8>

    /// Black.
    /// - Throws: ``ShareCardError`` `drawingFailed`.
    init(width: Int, height: Int) throws(ShareCardError) {
        guard let handle = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height)) else {
            throw ShareCardError(.drawingFailed, "no surface of \(width)×\(height)")
        }
        guard cairo_surface_status(handle) == CAIRO_STATUS_SUCCESS, let bytes = cairo_image_surface_get_data(handle) else {
            cairo_surface_destroy(handle)
            throw ShareCardError(.drawingFailed, "no memory for \(width)×\(height) pixels")
        }
        self.width = width
        self.height = height
        stride = Int(cairo_image_surface_get_stride(handle))
        self.handle = handle
        self.bytes = bytes
    }

    deinit { cairo_surface_destroy(handle) }

    /// - Parameter body: reads or writes the pixels: rows of ``stride`` bytes, of each pixel blue, green, red and one that is ignored.
    func withPixels<Value, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // CAIRO_FORMAT_RGB24 is a 32-bit number, 0x00RRGGBB: blue is first, as all supported machines are little-endian.
        cairo_surface_flush(handle)
        defer { cairo_surface_mark_dirty(handle) }
        return try body(UnsafeMutableRawBufferPointer(start: bytes, count: stride * height))
    }
}
