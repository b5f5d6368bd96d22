import CZlib
import Foundation

/// The wrappings that clients use, by zlib's window bits.
enum Wrapping: Int32, CaseIterable, Sendable {
    case gzip = 31
    case zlib = 15
    case raw = -15

    /// Compresses `repetitions` copies of `block` as one stream.
    func compress(_ block: [UInt8], repetitions: Int = 1, level: Int32 = 6) -> [UInt8] {
        var stream = z_stream()
        guard
            deflateInit2_(&stream, level, Z_DEFLATED, rawValue, 8, 0, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return [] }
        defer { deflateEnd(&stream) }
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        for repetition in 1...repetitions {
            let flush = repetition == repetitions ? Z_FINISH : Z_NO_FLUSH
            block.withUnsafeBufferPointer { source in
                stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                stream.avail_in = UInt32(source.count)
                repeat {
                    let written = chunk.withUnsafeMutableBufferPointer { target in
                        stream.next_out = target.baseAddress
                        stream.avail_out = UInt32(target.count)
                        _ = deflate(&stream, flush)
                        return target.count - Int(stream.avail_out)
                    }
                    output += chunk[..<written]
                } while stream.avail_out == 0
            }
        }
        return output
    }
}

/// Little-endian float32.
func bytes(of values: [Float]) -> [UInt8] {
    values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32($0))) } }
}

/// The CPU time of this thread in seconds, which does not depend on other work on the machine.
func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
