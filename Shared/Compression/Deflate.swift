import CZlib

/// Compresses whole buffers by DEFLATE (RFC 1951), with zlib.
public enum Deflate {
    /// The format around the compressed data; raw values are zlib's window bits.
    public enum Wrapping: Int32, Sendable {
        /// RFC 1952.
        case gzip = 31
        /// RFC 1950.
        case zlib = 15
        case none = -15
    }

    /// - Parameter level: 1, the fastest, to 9, the smallest.
    /// - Throws: ``DeflateError`` if zlib cannot allocate memory, or for 4 GiB and more.
    public static func compress(_ bytes: [UInt8], wrapping: Wrapping = .gzip, level: Int32 = 6) throws(DeflateError) -> [UInt8] {
        guard let size = UInt32(exactly: bytes.count) else { throw DeflateError(status: Z_BUF_ERROR) }
        var stream = z_stream()
        let opened = deflateInit2_(
            &stream, level, Z_DEFLATED, wrapping.rawValue, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard opened == Z_OK else { throw DeflateError(status: opened) }
        defer { deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(size))))
        let status = bytes.withUnsafeBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                // zlib only reads through next_in; its type lacks const.
                stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                stream.avail_in = size
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(clamping: target.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END else { throw DeflateError(status: status) }
        output.removeLast(Int(stream.avail_out))
        return output
    }
}

/// A failure of zlib.
public struct DeflateError: Error, Sendable, CustomStringConvertible {
    /// zlib's return code.
    public let status: Int32
    public var description: String { "zlib cannot compress (\(status))" }
}
