#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The file operations of the operating system. The only file of the library that calls it directly.
public struct PosixFiles: FileLayer {
    public init() {}

    public func createFolder(_ path: String) throws(FileError) {
        do {
            _ = try repeatingIfInterrupted { mkdir(path, 0o700) }
        } catch {
            guard error == .failed(code: EEXIST), isFolder(path) else { throw error }
        }
    }

    public func create(_ path: String) throws(FileError) -> any WritableFile {
        try PosixFile(path, O_WRONLY | O_CREAT | O_EXCL)
    }

    public func open(_ path: String) throws(FileError) -> any ReadableFile {
        try PosixFile(path, O_RDONLY)
    }

    public func rename(_ path: String, to target: String) throws(FileError) {
        _ = try repeatingIfInterrupted { renameat(AT_FDCWD, path, AT_FDCWD, target) }
    }

    public func link(_ path: String, to target: String) throws(FileError) -> Bool {
        do {
            _ = try repeatingIfInterrupted { linkat(AT_FDCWD, path, AT_FDCWD, target, 0) }
            return true
        } catch {
            guard error == .failed(code: EEXIST) else { throw error }
            return false
        }
    }

    public func remove(_ path: String) throws(FileError) {
        do {
            _ = try repeatingIfInterrupted { unlink(path) }
        } catch {
            guard error == .missing else { throw error }
        }
    }

    public func names(in folder: String) throws(FileError) -> [String] {
        guard let stream = opendir(folder) else { throw FileError(code: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0  // readdir returns nil at the end, too, and leaves errno alone there
            guard let entry = readdir(stream) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != "." && name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw FileError(code: errno) }
        return names
    }

    public func syncFolder(_ path: String) throws(FileError) {
        try PosixFile(path, O_RDONLY | O_DIRECTORY).sync()
    }

    private func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

/// An open file or folder, closed when it is released. Its descriptor never changes.
///
/// Any number of tasks may read at once: each reading names its offset. Writing is for one owner, since it continues where the last
/// writing ended.
final class PosixFile: WritableFile, ReadableFile {
    private let descriptor: Int32

    /// - Parameter flags: of open(2). A file that is created is readable and writable by its owner only.
    init(_ path: String, _ flags: Int32) throws(FileError) {
        descriptor = try repeatingIfInterrupted { open(path, flags | O_CLOEXEC, 0o600) }
    }

    deinit { close(descriptor) }

    var sizeBytes: Int64 {
        get throws(FileError) {
            var status = stat()
            _ = try repeatingIfInterrupted { fstat(descriptor, &status) }
            return Int64(status.st_size)
        }
    }

    func read(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8] {
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(FileError) {
                while filled < count {
                    let gap = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<count])
                    let place = off_t(offset) + off_t(filled)
                    let length = try repeatingIfInterrupted { pread(descriptor, gap.baseAddress, gap.count, place) }
                    guard length > 0 else { return }
                    filled += length
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    func write(_ bytes: [UInt8]) throws(FileError) {
        var written = 0
        while written < bytes.count {
            written += try repeatingIfInterrupted {
                bytes.withUnsafeBytes { writeSome(descriptor, UnsafeRawBufferPointer(rebasing: $0[written...])) }
            }
        }
    }

    func sync() throws(FileError) {
        #if canImport(Darwin)
        // On Apple's systems fsync leaves the content in the drive's cache. Volumes without F_FULLFSYNC fall back to it.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        _ = try repeatingIfInterrupted { fsync(descriptor) }
    }

    /// A lock on the whole file (flock(2)), held by this object among all objects and processes until it is released.
    /// - Returns: false if another holds it and `waits` is false.
    func lock(shared: Bool, waits: Bool) throws(FileError) -> Bool {
        let operation = (shared ? LOCK_SH : LOCK_EX) | (waits ? 0 : LOCK_NB)
        do {
            _ = try repeatingIfInterrupted { flock(descriptor, operation) }
            return true
        } catch {
            guard error == .failed(code: EWOULDBLOCK) else { throw error }
            return false
        }
    }

    func unlock() { flock(descriptor, LOCK_UN) }
}

extension PosixFile {
    /// Opens a file to lock it; it is created if necessary.
    convenience init(lockFile path: String) throws(FileError) { try self.init(path, O_RDWR | O_CREAT) }
}

extension FileError {
    /// - Parameter code: an `errno`.
    init(code: Int32) {
        self =
            switch code {
            case ENOENT: .missing
            case ENOSPC, EDQUOT: .noSpace
            case EACCES, EPERM: .denied
            default: .failed(code: code)
            }
    }
}

/// Makes a system call until no signal interrupts it.
/// - Throws: the error for `errno` if the call returns a negative number.
private func repeatingIfInterrupted<Result: SignedInteger>(_ call: () -> Result) throws(FileError) -> Result {
    while true {
        let result = call()
        if result >= 0 { return result }
        let code = errno
        if code != EINTR { throw FileError(code: code) }
    }
}

/// write(2), which has the name of a method above.
private func writeSome(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int { write(descriptor, bytes.baseAddress, bytes.count) }
