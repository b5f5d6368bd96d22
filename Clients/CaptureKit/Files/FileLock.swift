/// A lock that processes, and objects within one, take on a file of its own. It ends with ``unlock()``, with the object, or with the
/// process.
///
/// The file stays when the lock ends and must never be removed: who still held the removed file would exclude nobody.
public final class FileLock: Sendable {
    public enum Mode: Sendable {
        /// Held by one alone.
        case exclusive
        /// Held by several at once, but not beside an exclusive one.
        case shared
    }

    private let file: PosixFile

    private init(_ file: PosixFile) { self.file = file }

    /// Takes the lock, or returns `nil` if another holds it.
    /// - Parameter path: of the lock's file, which is created if necessary.
    public static func tryLock(_ path: String, _ mode: Mode = .exclusive) throws(FileError) -> FileLock? {
        let file = try PosixFile(lockFile: path)
        return try file.lock(shared: mode == .shared, waits: false) ? FileLock(file) : nil
    }

    /// Takes the lock as soon as nobody else holds it. Blocks its thread until then.
    /// - Parameter path: of the lock's file, which is created if necessary.
    public static func lock(_ path: String, _ mode: Mode = .exclusive) throws(FileError) -> FileLock {
        let file = try PosixFile(lockFile: path)
        _ = try file.lock(shared: mode == .shared, waits: true)
        return FileLock(file)
    }

    /// Takes the lock as soon as nobody else holds it. No thread waits, so it may be held across suspensions.
    /// - Parameter path: of the lock's file, which is created if necessary.
    /// - Throws: ``FileError``, `CancellationError`.
    public static func acquire(_ path: String, _ mode: Mode = .exclusive) async throws -> FileLock {
        while true {
            if let lock = try tryLock(path, mode) { return lock }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    public func unlock() { file.unlock() }
}
