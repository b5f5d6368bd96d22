import CZlib

/// The three wrappings of DEFLATE (RFC 1951) that clients use.
enum DeflateWrapping: CaseIterable {
    /// RFC 1952.
    case gzip
    /// RFC 1950.
    case zlib
    /// Raw RFC 1951, as written by Apple's `.zlib`.
    case raw

    /// zlib's window bits for `inflateInit2`.
    var windowBits: Int32 {
        switch self {
        case .gzip: 15 + 16
        case .zlib: 15
        case .raw: -15
        }
    }

    /// The wrappings that the first two bytes allow, most likely first.
    ///
    /// Raw DEFLATE cannot begin with a gzip header: its first block would have the reserved type. It can begin with a zlib header, as a
    /// stored block with odd padding, so raw remains possible.
    static func candidates(_ first: UInt8, _ second: UInt8) -> [DeflateWrapping] {
        if first == 0x1F, second == 0x8B { return [.gzip] }
        // RFC 1950 §2.2: method 8, window up to 32 K, no preset dictionary, check bits.
        let isZlib =
            first & 0x0F == 8 && first >> 4 <= 7 && second & 0x20 == 0
            && (UInt16(first) << 8 | UInt16(second)).isMultiple(of: 31)
        return isZlib ? [.zlib, .raw] : [.raw]
    }
}

/// One zlib inflate stream.
final class Inflater {
    /// On the heap because zlib remembers the address of the stream it was opened with.
    private let stream: UnsafeMutablePointer<z_stream>
    private(set) var isFinished = false

    init(_ wrapping: DeflateWrapping) throws(DepthError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(stream, wrapping.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            throw DepthError(.outOfMemory, "inflateInit2 returned \(status)")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Inflates as much of `input` as fits `output`.
    /// - Returns: bytes read and bytes written; both 0 if it needs more input or more space.
    func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(DepthError) -> (consumed: Int, produced: Int) {
        guard !isFinished, output.count > 0 else { return (0, 0) }
        let available = UInt32(clamping: input.count)
        let space = UInt32(clamping: output.count)
        // zlib only reads through next_in; its type lacks const.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = available
        stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = space
        defer {
            stream.pointee.next_in = nil
            stream.pointee.next_out = nil
        }
        switch CZlib.inflate(stream, Z_NO_FLUSH) {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isFinished = true
        case Z_MEM_ERROR: throw DepthError(.outOfMemory, "inflate")
        default: throw DepthError(.corrupt, stream.pointee.msg.map { String(cString: $0) } ?? "not a DEFLATE stream")
        }
        return (Int(available - stream.pointee.avail_in), Int(space - stream.pointee.avail_out))
    }
}
