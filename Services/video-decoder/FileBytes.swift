import Foundation

/// The bytes of descriptor 0.
enum FileBytes {
    static func read(_ range: Range<Int64>) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, initialized in
            try read(range, into: UnsafeMutableRawBufferPointer(buffer))
            initialized = range.count
        }
    }

    static func read(_ range: Range<Int64>, into buffer: UnsafeMutableRawBufferPointer) throws {
        var done = 0
        while done < range.count {
            let count = pread(
                STDIN_FILENO, buffer.baseAddress?.advanced(by: done), range.count - done, off_t(range.lowerBound + Int64(done)))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DecodingFailure("the file ends at \(range.lowerBound + Int64(done))") }
            done += count
        }
    }
}
