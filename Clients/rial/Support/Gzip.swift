import CZlib

/// Compresses and measures depth maps.
enum Gzip {
    /// RFC 1952.
    static func compress(_ bytes: [UInt8]) throws -> [UInt8] {
        var stream = z_stream()
        // 15 + 16: the largest window, gzip's wrapping.
        let opened = deflateInit2_(
            &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard opened == Z_OK else { throw CommandFailure("zlib cannot compress (\(opened)).") }
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
        guard status == Z_STREAM_END else { throw CommandFailure("zlib cannot compress (\(status)).") }
        output.removeLast(Int(stream.avail_out))
        return output
    }
}
