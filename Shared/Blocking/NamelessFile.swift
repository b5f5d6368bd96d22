public import Foundation

/// A file without a name: the system deletes it with its last reference, or when the process ends. Its calls block on the disk.
///
/// Only one task at a time may write; all holders of the descriptor may read. Child processes do not inherit the descriptor.
public final class NamelessFile: Sendable {
    /// The error of a system call.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// `errno`; 0 if the file ended too early.
        public let code: Int32

        /// Whether a retry may succeed, perhaps only after an operator has acted: the disk is full, read-only or fails, too many files are
        /// open, the folder is missing. False for a wrong call, and for a file that ended too early.
        public var isTransient: Bool { ![0, EBADF, EFAULT, EINVAL].contains(code) }

        public var description: String { code == 0 ? "cut short" : String(cString: strerror(code)) }
    }

    public let descriptor: Int32

    /// - Parameter folder: on a disk with enough space; the file's name is removed right after the file is created.
    /// - Throws: ``Failure`` if the file cannot be created.
    public init(in folder: String = FileManager.default.temporaryDirectory.path) throws(Failure) {
        // mkstemp(3) replaces the six X.
        var template = Array((folder + "/rial-XXXXXX").utf8CString)
        descriptor = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkstemp($0) } ?? -1 }
        guard descriptor >= 0 else { throw Failure(code: errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        template.withUnsafeBufferPointer { if let name = $0.baseAddress { unlink(name) } }
    }

    deinit { close(descriptor) }

    /// Finds out, by writing one, whether the disk takes a file of so many bytes now.
    /// - Throws: ``Failure`` if it does not.
    public static func probe(_ folder: String, sizeBytes: Int64) throws(Failure) {
        let file = try NamelessFile(in: folder)
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        var rest = sizeBytes
        while rest > 0 {
            try file.append(zeros.prefix(Int(min(rest, Int64(zeros.count)))))
            rest -= Int64(zeros.count)
        }
    }

    /// Writes at the position where the last write ended.
    /// - Throws: ``Failure``; some of the bytes may have been written.
    public func append(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// The bytes in the range; fewer if the file ends before its end.
    /// - Throws: ``Failure`` if the file cannot be read.
    public func bytes(_ range: Range<Int64>) throws(Failure) -> [UInt8] {
        var position = 0
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            while position < range.count {
                let read = pread(
                    descriptor, buffer.baseAddress?.advanced(by: position), range.count - position, off_t(range.lowerBound) + position)
                if read < 0, errno == EINTR { continue }
                if read < 0 { code = errno }
                guard read > 0 else { break }
                position += read
            }
            count = position
        }
        guard code == 0 else { throw Failure(code: code) }
        return bytes
    }

    /// Bytes of the whole file.
    /// - Throws: ``Failure``.
    public func size() throws(Failure) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure(code: errno) }
        return Int64(status.st_size)
    }

    /// The whole file.
    /// - Throws: ``Failure``, also if the file becomes shorter while it is read.
    public func bytes() throws(Failure) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure(code: errno) }
        let bytes = try bytes(0..<Int64(status.st_size))
        guard bytes.count == Int(status.st_size) else { throw Failure(code: 0) }
        return bytes
    }
}
