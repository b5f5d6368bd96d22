import CaptureKit
import Foundation

/// A folder for one process, whose files are replaced as a whole: after a crash each has its old content or the new one.
struct DurableFolder: Sendable {
    let path: String
    private let files = PosixFiles()
    private let lock: FileLock

    /// Creates the folder if necessary, and takes it until the process ends.
    /// - Throws: ``CommandFailure`` if it cannot be used, or if another process has it.
    init(_ path: String) throws {
        self.path = path
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try files.syncFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        } catch {
            throw CommandFailure("The folder \(path) cannot be made.")
        }
        let lock: FileLock?
        do { lock = try FileLock.tryLock("\(path)/lock") } catch { throw CommandFailure("The folder \(path) cannot be used (\(error)).") }
        guard let lock else { throw CommandFailure("Another process uses the folder \(path).") }
        self.lock = lock
    }

    /// - Returns: `nil` if there is no such file.
    /// - Throws: ``CommandFailure`` if it cannot be read, or has more than `limit` bytes.
    func read(_ name: String, limit: Int) throws -> [UInt8]? {
        do {
            let file = try files.open("\(path)/\(name)")
            let bytes = try file.read(limit + 1, at: 0)
            guard bytes.count <= limit else { throw CommandFailure("\(path)/\(name) is larger than it can be.") }
            return bytes
        } catch FileError.missing {
            return nil
        } catch let error as FileError {
            throw CommandFailure("\(path)/\(name) cannot be read (\(error)).")
        }
    }

    /// Returns when the new content is durable. A file may be replaced by one caller at a time.
    /// - Throws: ``CommandFailure`` with the old content, or the new one, in place.
    func replace(_ name: String, with bytes: [UInt8]) throws { try LocalFile.replace(name, in: path, with: bytes) }
}
