import CZlib

/// Decompresses bytes with zlib.
/// - Parameter windowBits: 31 for gzip, 15 for zlib's own wrapping, −15 for none.
/// - Returns: `nil` unless the bytes are exactly one complete stream of at most `limit` decompressed bytes.
public func inflated(_ bytes: [UInt8], windowBits: Int32 = 31, limit: Int) -> [UInt8]? {
    var stream = z_stream()
    guard inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: limit + 1)
    let status = input.withUnsafeMutableBufferPointer { source in
        output.withUnsafeMutableBufferPointer { target in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            stream.next_out = target.baseAddress
            stream.avail_out = UInt32(target.count)
            return inflate(&stream, Z_FINISH)
        }
    }
    guard status == Z_STREAM_END, stream.avail_in == 0, stream.total_out <= limit else { return nil }
    return Array(output.prefix(Int(stream.total_out)))
}
