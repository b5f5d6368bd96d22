import CZlib

/// Compresses whole buffers.
enum Deflate {
    /// - Parameter windowBits: as of zlib's `deflateInit2`: 15 zlib, 31 gzip, −15 raw.
    static func compress(_ bytes: [UInt8], windowBits: Int32) throws(SceneError) -> [UInt8] {
        var stream = z_stream()
        let opened = deflateInit2_(
            &stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard opened == Z_OK else { throw SceneError(.encodingFailed, "deflateInit2 returned \(opened)") }
        defer { deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        let status = bytes.withUnsafeBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                // zlib only reads through next_in; its type lacks const.
                stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                stream.avail_in = UInt32(clamping: source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(clamping: target.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END else { throw SceneError(.encodingFailed, "deflate returned \(status)") }
        output.removeLast(Int(stream.avail_out))
        return output
    }
}
