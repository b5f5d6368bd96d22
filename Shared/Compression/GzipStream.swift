import CZlib

/// Compresses one gzip stream (RFC 1952) piece by piece: what was written so far can be inflated, also if the stream is never finished.
public final class GzipStream {
    /// On the heap because zlib remembers the address of the stream it was opened with.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter level: 1, the fastest, to 9, the smallest.
    /// - Throws: ``DeflateError`` if zlib cannot allocate memory.
    public init(level: Int32 = 6) throws(DeflateError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream, level, Z_DEFLATED, Deflate.Wrapping.gzip.rawValue, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            throw DeflateError(status: status)
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// - Returns: all that stands for the bytes written so far, as far as it was not returned before.
    /// - Throws: ``DeflateError``, also for 4 GiB and more at once.
    public func write(_ bytes: [UInt8]) throws(DeflateError) -> [UInt8] { try run(bytes, Z_SYNC_FLUSH) }

    /// Ends the stream.
    /// - Returns: its last bytes.
    /// - Throws: ``DeflateError``.
    public func finish() throws(DeflateError) -> [UInt8] { try run([], Z_FINISH) }

    private func run(_ bytes: [UInt8], _ flush: Int32) throws(DeflateError) -> [UInt8] {
        guard let size = UInt32(exactly: bytes.count) else { throw DeflateError(status: Z_BUF_ERROR) }
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        var status = Z_OK
        bytes.withUnsafeBufferPointer { source in
            // zlib only reads through next_in; its type lacks const.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
            stream.pointee.avail_in = size
            repeat {
                piece.withUnsafeMutableBufferPointer { target in
                    stream.pointee.next_out = target.baseAddress
                    stream.pointee.avail_out = UInt32(clamping: target.count)
                    status = deflate(stream, flush)
                }
                output += piece.dropLast(Int(stream.pointee.avail_out))
            } while status == Z_OK && stream.pointee.avail_out == 0
            stream.pointee.next_in = nil
            stream.pointee.next_out = nil
        }
        // With nothing left to write zlib says that it had no space.
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { throw DeflateError(status: status) }
        return output
    }
}
